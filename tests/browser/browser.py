# SPDX-License-Identifier: BSD-3-Clause
"""A headless browser that opens one page, and records its console messages and network requests."""

import base64
import json
import os
import sys

from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

WIDTHS = (1280, 390, 2560)
NAMES = "#variables-body button.name"


def same(found, expected):
    if found != expected:
        sys.exit(f"found    {found!r}\nexpected {expected!r}")


class Page:
    """Context manager; the browser ends with the context."""

    def __init__(self, path, width=WIDTHS[0], scheme="light"):
        self.url = "file://" + os.path.abspath(path)
        options = webdriver.ChromeOptions()
        # The sandbox is not available to root, the usual user in containers. Only the tests' own files are opened.
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars",
                         "--host-resolver-rules=MAP * ~NOTFOUND"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        # A safeguard against scripts that never end.
        self.driver.set_script_timeout(1800)
        self.command("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.resize(width)
        self.driver.get(self.url)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    def command(self, name, **arguments):
        return self.driver.execute_cdp_cmd(name, arguments)

    def resize(self, width):
        self.command("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)

    def script(self, text, *arguments):
        return self.driver.execute_script(text, *arguments)

    def one(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def text(self, selector):
        return " ".join(self.one(selector).text.split())

    def texts(self, selector):
        return [" ".join(found.text.split()) for found in self.driver.find_elements(By.CSS_SELECTOR, selector)]

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def click(self, selector, key=None):
        found = self.one(selector)
        self.script("arguments[0].scrollIntoView({block: 'center'})", found)
        if key:
            ActionChains(self.driver).key_down(getattr(Keys, key)).click(found).key_up(getattr(Keys, key)).perform()
        else:
            found.click()

    def after(self, event, target, action):
        """Perform the action and wait for the event that it causes. The page's own listener was added first, so it has run by then."""
        self.script(f"window.arrived = new Promise((done) => (arguments[0] || window).addEventListener('{event}', () => done(), {{once: true}}))", target)
        action()
        self.driver.execute_async_script("const done = arguments[0]; window.arrived.then(() => done())")

    def follow(self, action):
        """Wait for a navigation by links inside the page, or by Back."""
        self.after("hashchange", None, action)

    def link(self, selector, text=None):
        """Follow the link inside the element; if there are several, the one with that text."""
        [found] = [link for link in self.driver.find_elements(By.CSS_SELECTOR, f"{selector} a") if text in (None, link.text)]
        self.script("arguments[0].scrollIntoView({block: 'center'})", found)
        self.follow(found.click)

    def unfold(self, selector):
        self.after("toggle", self.one(selector), lambda: self.click(f"{selector} > summary"))

    def choose(self, selector, value):
        self.script("arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('change'))", self.one(selector), value)

    def type(self, selector, text):
        field = self.one(selector)
        field.clear()
        field.send_keys(text or " \b")
        # The page processes typed text in the next frame.
        self.driver.execute_async_script("const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done()))")

    def keys(self, *keys):
        ActionChains(self.driver).send_keys(*(getattr(Keys, key, key) for key in keys)).perform()

    def held(self, held, *keys):
        """Press keys while another one is held."""
        chain = ActionChains(self.driver).key_down(getattr(Keys, held))
        for key in keys:
            chain = chain.send_keys(getattr(Keys, key))
        chain.key_up(getattr(Keys, held)).perform()

    def enter(self, selector, text):
        """Replace the text of a field, and leave it."""
        self.script("arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('change'))", self.one(selector), text)

    def drag(self, selector, x, to):
        """Drag between two fractions of the element's width."""
        self.point(selector, x, 0.5)
        width = self.one(selector).size["width"]
        ActionChains(self.driver).click_and_hold().move_by_offset(round((to - x) * width / 2), 0).move_by_offset(round((to - x) * width / 2), 0).release().perform()

    def point(self, selector, x, y):
        """Move the mouse to this fraction of the element's width and height."""
        found = self.one(selector)
        self.script("arguments[0].scrollIntoView({block: 'center'})", found)
        width, height = found.size["width"], found.size["height"]
        ActionChains(self.driver).move_to_element_with_offset(found, round((x - 0.5) * width), round((y - 0.5) * height)).perform()

    def shot(self, path):
        width, height = self.script("return [innerWidth, document.documentElement.scrollHeight]")
        # The browser makes no larger screenshots.
        clip = {"x": 0, "y": 0, "width": width, "height": min(height, 8000), "scale": 1}
        self.write(path, self.command("Page.captureScreenshot", captureBeyondViewport=True, clip=clip))

    def printed(self, path):
        self.write(path, self.command("Page.printToPDF", paperWidth=8.27, paperHeight=11.69))

    @staticmethod
    def write(path, answer):
        with open(path, "wb") as stream:
            stream.write(base64.b64decode(answer["data"]))

    def problems(self):
        """Content of the console, requests other than for the page itself, and whether the page is wider than the window."""
        found = [f"console: {entry['message']}" for entry in self.driver.get_log("browser")]
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = message["params"]["request"]["url"]
                if url.split("#")[0] != self.url:
                    found.append(f"request: {url}")
        for width in WIDTHS:
            self.resize(width)
            wide = self.script("return document.documentElement.scrollWidth")
            if wide > width:
                found.append(f"{wide} wide in a window of {width}")
        return found
