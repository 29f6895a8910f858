"""Drives headless Chromium over its pipe (`--remote-debugging-pipe`): messages in JSON, each ended by a zero byte."""

import base64
import itertools
import json
import os
import subprocess
import tempfile


class Browser:
    """A browser with one page."""

    def __init__(self, program):
        to_browser, self.write_end = os.pipe()
        self.read_end, from_browser = os.pipe()
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)

        def hand_over():
            # The browser expects its pipes at 3 and 4.
            one, two = os.dup(to_browser), os.dup(from_browser)
            os.dup2(one, 3)
            os.dup2(two, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
             f"--user-data-dir={self.profile.name}", "--remote-debugging-pipe", "about:blank"],
            preexec_fn=hand_over, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        os.close(to_browser)
        os.close(from_browser)
        self.numbers, self.buffer, self.events, self.session = itertools.count(1), b"", [], None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method, **params):
        number = next(self.numbers)
        message = {"id": number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write_end, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def receive(self):
        while b"\0" not in self.buffer:
            read = os.read(self.read_end, 1 << 20)
            if not read:
                raise RuntimeError("the browser is gone")
            self.buffer += read
        message, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(message)

    def run(self, script):
        """The value of an expression; a promise is awaited."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def open(self, address):
        self.call("Page.navigate", url=address)
        self.wait("document.readyState === 'complete'")

    def wait(self, condition, seconds=60):
        met = self.run(f"(async () => {{ for (let n = 0; n < {seconds * 50}; n += 1) {{ if ({condition}) return true; "
                       "await new Promise((done) => setTimeout(done, 20)); } return false; })()")
        if not met:
            raise AssertionError(f"never came true: {condition}")

    def size(self, width, height, dark=False, media=""):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", media=media, features=features)

    def key(self, key, text=""):
        given = {"key": key, "code": key, "windowsVirtualKeyCode": {"Enter": 13, "Escape": 27, "Tab": 9, "ArrowDown": 40,
                 "ArrowUp": 38, "PageDown": 34, "PageUp": 33, "Home": 36, "End": 35}.get(key, ord(key[0].upper()))}
        if key == "Enter":
            text = "\r"
        self.call("Input.dispatchKeyEvent", type="keyDown", text=text, **given)
        self.call("Input.dispatchKeyEvent", type="keyUp", **given)

    def screenshot(self, path, whole=False):
        image = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(image["data"]))

    def close(self):
        try:
            self.session = None
            self.call("Browser.close")
            self.process.wait(10)
        except (RuntimeError, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.write_end)
        os.close(self.read_end)
        self.profile.cleanup()
