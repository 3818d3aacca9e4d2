"""A headless Chromium that tests can talk to, by its own protocol over two pipes."""

import fcntl
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--hide-scrollbars",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
)
WAIT_S = 90


def find():
    """Path of the browser, or None."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Browser:
    """One page of a browser of its own; what it logs and asks for is kept."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="skldl-chromium-")
        theirs_in, self._in = os.pipe()
        self._out, theirs_out = os.pipe()
        # the browser reads from 3 and writes to 4
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 20) for end in (theirs_in, theirs_out)]

        def place():
            os.dup2(ends[0], 3)
            os.dup2(ends[1], 4)

        self.process = subprocess.Popen(
            [find(), *FLAGS, f"--user-data-dir={self.folder}", "about:blank"],
            preexec_fn=place,
            pass_fds=(3, 4),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for end in (theirs_in, theirs_out, *ends):
            os.close(end)
        self._number, self._rest, self._session = 0, b"", None
        self.events = []
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call(
            "Target.attachToTarget", targetId=target, flatten=True
        )["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self._in)
        os.close(self._out)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _read(self, until):
        while b"\0" not in self._rest:
            if not select.select([self._out], [], [], max(0, until - time.time()))[0]:
                raise TimeoutError("the browser does not answer")
            chunk = os.read(self._out, 1 << 20)
            if not chunk:
                raise ConnectionError("the browser has gone")
            self._rest += chunk
        message, self._rest = self._rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **params):
        """Send a command and give its answer; events on the way are kept."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": params}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._in, json.dumps(message).encode() + b"\0")
        until = time.time() + WAIT_S
        while True:
            answer = self._read(until)
            if answer.get("id") == self._number:
                if "error" in answer:
                    raise RuntimeError(answer["error"]["message"])
                return answer["result"]
            self.events.append(answer)

    def open(self, path, *, width=1200, height=900, scheme="light"):
        """Load a file and wait until it is there."""
        self.events.clear()
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip
        self.call(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": scheme}],
        )
        self.call("Page.navigate", url=path.resolve().as_uri())
        until = time.time() + WAIT_S
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            self.events.append(self._read(until))

    def run(self, script):
        """Value of a piece of script."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["exception"]["description"])
        return answer["result"].get("value")

    def complaints(self):
        """Errors, warnings and refusals that the page has caused so far."""
        self.run("1")
        names = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled",
                 "Log.entryAdded", "Network.loadingFailed")  # fmt: skip
        return [e for e in self.events if e.get("method") in names]

    def requests(self):
        """Addresses that the page has asked for."""
        self.run("1")
        sent = [
            e for e in self.events if e.get("method") == "Network.requestWillBeSent"
        ]
        return [e["params"]["request"]["url"] for e in sent]
