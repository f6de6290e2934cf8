#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# The documentation as a site: it can be made, no link leads nowhere, every command has its page with its options, and no page shows
# what is meant for the tests.
. "$(dirname "$0")/lib.sh"

"$heddle" help --json >options.json
check "it is made, and every link leads somewhere" "$root/packaging/site" options.json site
check "no link between pages leads nowhere" python3 - <<'END'
import pathlib, re
site = pathlib.Path("site")
for page in site.glob("*.html"):
    text = page.read_text()
    for target in re.findall(r'(?:href|src)="([^"#:]+)[^"]*"', text):
        assert (site / target).exists(), (page.name, target)
    assert "<!--" not in text, page.name
END
for command in $("$heddle" help --json | python3 -c 'import json, sys; print(*(c["name"].replace("+", "x") for c in json.load(sys.stdin)["commands"]))'); do
  if [ -s "site/command-$command.html" ]; then ok "heddle $command has a page"; else not_ok "heddle $command has a page"; fi
done
expect_output "with its options" '<code>--race-detector HOW</code>' cat site/command-check.html
# A page that is not in the list of the site is lost to its readers.
for page in "$root"/docs/*.md "$root"/docs/guide/*.md; do
  if grep -q "\"${page#"$root"/}\"" "$root/packaging/site"; then ok "${page##*/} is on the site"; else not_ok "${page##*/} is on the site"; fi
done
