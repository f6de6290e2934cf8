# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium for tests of pages, over the DevTools protocol on a pipe. Imported, never run.

Messages are JSON, each ended by a zero byte: the browser reads them from its descriptor 3 and writes to its 4. Errors of a
page (exceptions, console.error) are kept in `problems`.
"""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome")
KEYS = {"ArrowDown": 40, "ArrowUp": 38, "Home": 36, "End": 35, "Escape": 27}


def find():
    """The path of a browser, or None."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Browser:
    def __init__(self, path, width=1360, height=860):
        self.profile = tempfile.mkdtemp(prefix="heddle-browser-")
        to_read, self.out = os.pipe()
        self.input, to_write = os.pipe()

        def place():
            # Both may already be 3 or 4, so they go by way of higher numbers.
            high_read, high_write = os.dup2(to_read, 50), os.dup2(to_write, 51)
            os.dup2(high_read, 3)
            os.dup2(high_write, 4)

        self.process = subprocess.Popen(
            [path, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-extensions", "--hide-scrollbars", "--force-color-profile=srgb",
             f"--user-data-dir={self.profile}", "--remote-debugging-pipe", f"--window-size={width},{height}", "about:blank"],
            preexec_fn=place, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.rest, self.number, self.problems, self.loaded = b"", 0, [], False
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")
        self.size(width, height)

    session = None

    def close(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)

    # ---- the protocol ----

    def receive(self, limit):
        end = time.monotonic() + limit
        while b"\0" not in self.rest:
            if not select.select([self.input], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            part = os.read(self.input, 1 << 20)
            if not part:
                raise EOFError("the browser ended")
            self.rest += part
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def notice(self, message):
        method, params = message.get("method"), message.get("params", {})
        if method == "Page.loadEventFired":
            self.loaded = True
        elif method == "Runtime.exceptionThrown":
            self.problems.append(params["exceptionDetails"].get("exception", {}).get("description", "an exception"))
        elif method == "Runtime.consoleAPICalled" and params["type"] == "error":
            self.problems.append(str(params["args"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.problems.append(params["entry"]["text"])

    def call(self, method, limit=60, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive(limit)
            if answer.get("id") != self.number:
                self.notice(answer)
            elif "error" in answer:
                raise RuntimeError(answer["error"]["message"])
            else:
                return answer["result"]

    # ---- pages ----

    def open(self, path, limit=60):
        """Loads a file; returns the seconds until it had run its scripts and was drawn."""
        self.loaded, self.problems = False, []
        self.call("Page.navigate", url="about:blank")
        while not self.loaded:
            self.notice(self.receive(limit))
        self.loaded, began = False, time.monotonic()
        self.call("Page.navigate", url=path if "://" in path else "file://" + os.path.abspath(path))
        while not self.loaded:
            self.notice(self.receive(limit))
        self.eval("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
        return time.monotonic() - began

    def eval(self, expression):
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"].get("exception", {}).get("description", expression))
        return result["result"].get("value")

    def text(self, selector):
        return self.eval(f"document.querySelector({json.dumps(selector)})?.textContent ?? null")

    def count(self, selector):
        return self.eval(f"document.querySelectorAll({json.dumps(selector)}).length")

    def key(self, key):
        text = {"text": key} if len(key) == 1 else {}
        code = KEYS.get(key, ord(key[0].upper()))
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def click(self, selector):
        """With the mouse, in the middle of the element."""
        x, y = self.eval(f"(e => {{ e.scrollIntoView({{block: 'nearest'}}); const r = e.getBoundingClientRect();"
                         f"return [r.x + r.width / 2, r.y + r.height / 2]; }})(document.querySelector({json.dumps(selector)}))")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def scheme(self, name):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def screenshot(self, path):
        with open(path, "wb") as f:
            f.write(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def pdf(self):
        return base64.b64decode(self.call("Page.printToPDF")["data"])
