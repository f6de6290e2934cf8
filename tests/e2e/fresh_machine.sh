#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
#
# The first minutes on a machine that has nothing yet: packages are announced before they are installed, and a build folder
# that was configured without cmocka (`make try` comes before `make test`) gets the unit tests once cmocka is there.
# Nothing is compiled: a ninja that only says what it would do stands in the way.
. "$(dirname "$0")/lib.sh"

# ---- packages ----

mkdir machine
cat >machine/apt-get <<'END'
#!/bin/sh
echo "apt-get $*"
END
cat >machine/sudo <<'END'
#!/bin/sh
exec "$@"
END
printf '#!/bin/sh\nexit 1\n' >machine/dpkg-query
chmod +x machine/*

run env PATH="$work/machine:$PATH" "$root/packaging/deps" build
first=${output%%$'\n'*}
if [[ $first == "heddle: missing packages are installed now:"*"apt-get install"*libdw-dev* && $output == *"apt-get install -y"* ]]; then
  ok "packages are installed only after one line that says so"
else
  not_ok "packages are installed only after one line that says so"
fi

# ---- the order of make's targets ----

mkdir copy bare
cp -r "$root"/{Makefile,meson.build,meson_options.txt,docs,examples,include,packaging,src} copy/
mkdir copy/tests
cp -r "$root"/tests/{unit,fuzz} copy/tests/
real_ninja=$(command -v ninja)
cat >bare/ninja <<END
#!/bin/sh
case \$1 in --version) exec "$real_ninja" "\$@" ;; esac
exec "$real_ninja" -n "\$@"
END
chmod +x bare/ninja
mkdir hidden
cat >hidden/pkg-config <<END
#!/bin/sh
case "\$*" in *cmocka*) exit 1 ;; esac
exec "$(command -v pkg-config)" "\$@"
END
printf '#!/bin/sh\nexit 1\n' >hidden/cmake # Meson would ask it next
chmod +x hidden/*

check "a first build, without cmocka" env PATH="$work/hidden:$work/bare:$PATH" make -C copy
run env PATH="$work/hidden:$work/bare:$PATH" ninja -C copy/build unit-tests
if [[ $output != *"Linking target tests/unit/"* ]]; then
  ok "it has no unit tests"
else
  not_ok "it has no unit tests"
fi
expect_output "asked for them, it names what is missing" 'the unit tests need cmocka' \
  env PATH="$work/hidden:$PATH" "$real_ninja" -C copy/build unit-tests
expect_output "the same folder has them once cmocka is there" 'Linking target tests/unit/test_clock' \
  env PATH="$work/bare:$PATH" make -C copy unit-tests
expect_output "and a build that follows leaves them" 'Linking target tests/unit/test_clock' \
  env PATH="$work/bare:$PATH" make -C copy all unit-tests

for target in try test test-fast bench install help; do
  expect_output "make help lists $target" "^make $target " make -C copy help
done
