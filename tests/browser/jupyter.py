"""A throw-away Jupyter server, and JupyterLab or Notebook 7 as a person drives it."""

from __future__ import annotations

import ast
import json
import re
import secrets
import shutil
import urllib.request

import nbformat
from browser.awaiting import soon
from browser.server import Server, answers
from nbformat.sign import NotebookNotary
from playwright.sync_api import expect

_MILLISECONDS_OF_A_KERNEL = 90_000

# Makes `model` of `X` and `y`, which the explorers of many tests show.
DIABETES = """\
import ice_explorer as ice
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
model = RandomForestRegressor(n_estimators=20, random_state=0).fit(X, y)
"""
EXPLORER = DIABETES + "x = ice.ICEExplorer(model, X)\nx"

# Keys that come before Lab knows its shortcuts go nowhere.
_KNOWS_SHORTCUTS = """async (commands) => {
    const app = globalThis.jupyterapp;
    await app?.restored;
    const known = new Set(app?.commands.keyBindings.map(({ command }) => command));
    return commands.every((command) => known.has(command));
}"""
_IN_PAGE = ["apputils:activate-command-palette"]
_IN_NOTEBOOK = [*_IN_PAGE, "notebook:run-cell"]

_FILL = """(sources) => {
    const { sharedModel } = jupyterapp.shell.currentWidget.content.model;
    const cells = sources.map((source) => ({ cell_type: "code", source, metadata: {}, outputs: [] }));
    sharedModel.transact(() => {
        sharedModel.deleteCellRange(0, sharedModel.cells.length);
        sharedModel.insertCells(0, cells);
    });
}"""
_EXECUTE = """async ([code, value]) => {
    const { kernel } = jupyterapp.shell.currentWidget.sessionContext.session;
    const { content } = await kernel.requestExecute({ code, silent: true, user_expressions: { value } }).done;
    for (const { status, evalue } of [content, content.user_expressions?.value ?? {}]) {
        if (status === "error") throw new Error(`${code || value}: ${evalue}`);
    }
    return content.user_expressions.value.data["text/plain"];
}"""
_TO_JSON = "__import__('json').dumps({}, default=lambda it: it.tolist() if hasattr(it, 'tolist') else str(it))"

_LAB = ("JUPYTERLAB_SETTINGS_DIR", "JUPYTERLAB_WORKSPACES_DIR")
_FOLDERS = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "MPLCONFIGDIR", *_LAB)


class JupyterServer:
    """JupyterLab on a free port of this machine, with settings, runtime and data in one folder.

    Parameters
    ----------
    folder : Path
        Empty; notebooks go into its `notebooks`.
    app : {"lab", "notebook"}
        JupyterLab or Notebook 7.
    data : Path, optional
        Folder like `share/jupyter`, which goes before those of the environment.
    """

    def __init__(self, folder, app="lab", data=None):
        self.app = app
        self._data = data
        self.notebooks = folder / "notebooks"
        self.notebooks.mkdir()
        self._home = folder / "home"
        self._home.mkdir()
        self._token = secrets.token_hex(16)

    def __enter__(self):
        environment = {name: str(self._home / name.lower()) for name in _FOLDERS}
        if self._data is not None:
            environment["JUPYTER_PATH"] = str(self._data)
        options = [
            "--no-browser",
            "--allow-root",
            "--expose-app-in-browser",
            "--ServerApp.ip=127.0.0.1",
            "--ServerApp.port=0",
            f"--IdentityProvider.token={self._token}",
            f"--ServerApp.root_dir={self.notebooks}",
        ]
        # Lab asks whether it may ask for news, in a card that covers the corner of the notebook.
        self.disable("@jupyterlab/apputils-extension:announcements")
        self._server = Server(["jupyter", self.app, *options], self._home.parent / "server.log", environment)
        self.url = self._server.wait_for(self._find_url)
        return self

    def __exit__(self, *_error):
        self._server.end()

    def _find_url(self):
        """Return where the server answers, which it wrote into its runtime folder, or None."""
        urls = [_url_of(file) for file in (self._home / "jupyter_runtime_dir").glob("jpserver-*.json")]
        return next((url for url in urls if url and answers(f"{url}api/status?token={self._token}")), None)

    def write(self, name, cells):
        """Write a notebook of code cells."""
        notebook = nbformat.v4.new_notebook()
        notebook.cells = [nbformat.v4.new_code_cell(cell) for cell in cells]
        notebook.metadata["kernelspec"] = {
            "name": "python3",
            "display_name": "Python 3 (ipykernel)",
            "language": "python",
        }
        nbformat.write(notebook, self.notebooks / name)

    def trust(self, name):
        """Trust a notebook, as "Trust Notebook" does."""
        notary = NotebookNotary(data_dir=str(self._home / "jupyter_data_dir"))
        notary.sign(nbformat.read(self.notebooks / name, 4))
        notary.store.close()

    def remove_files(self):
        """Delete what notebooks wrote, and the notebooks that are not open."""
        open_ones = {session["path"] for session in self._request("api/sessions")}
        for path in self.notebooks.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            elif path.name not in open_ones:
                path.unlink()

    def end_kernel(self, name):
        """End the kernel of a notebook, so that kernels do not pile up over a run of the tests."""
        for session in self._request("api/sessions"):
            if session["path"] == name:
                self._request(f"api/sessions/{session['id']}", "DELETE")

    def _request(self, path, method="GET"):
        headers = {"Authorization": f"token {self._token}"}
        request = urllib.request.Request(self.url + path, headers=headers, method=method)  # noqa: S310 - our own server
        with urllib.request.urlopen(request, timeout=30) as response:  # noqa: S310
            return json.loads(response.read() or "null")

    def disable(self, *extensions):
        """Leave these extensions, and no others, out of every page opened from now on."""
        self.configure("page_config.json", {"disabledExtensions": dict.fromkeys(extensions, True)})

    def configure(self, file, content):
        """Write a file of the folder `labconfig`, where administrators configure Lab."""
        at = self._home / "jupyter_config_dir" / "labconfig" / file
        at.parent.mkdir(parents=True, exist_ok=True)
        at.write_text(json.dumps(content), encoding="utf-8")

    def set_theme(self, name):
        """Choose the theme of every Lab opened from now on, as Lab's settings would."""
        file = self._home / "jupyterlab_settings_dir" / "@jupyterlab" / "apputils-extension"
        file.mkdir(parents=True, exist_ok=True)
        settings = json.dumps({"theme": name})
        (file / "themes.jupyterlab-settings").write_text(settings, encoding="utf-8")

    def open(self, page, name, *, waits=True):
        """Open a notebook, and wait for its kernel."""
        # Each in a workspace of its own, as a page that is reloaded opens what other pages of its workspace have open.
        lab = f"lab/workspaces/{name.removesuffix('.ipynb')}/tree/{name}?reset"
        self._go(page, {"lab": lab, "notebook": f"notebooks/{name}?"}[self.app])
        page.wait_for_function(_KNOWS_SHORTCUTS, arg=_IN_NOTEBOOK)
        notebook = Notebook(page, self, name)
        if waits:
            notebook.wait_for_kernel()
        return notebook

    def open_first_page(self, page):
        """Open the page that is there before any notebook is."""
        self._go(page, {"lab": "lab?reset", "notebook": "tree?"}[self.app])
        page.wait_for_function(_KNOWS_SHORTCUTS, arg=_IN_PAGE)

    def _go(self, page, place):
        page.goto(f"{self.url}{place}&token={self._token}")


def _url_of(file):
    try:
        return json.loads(file.read_text(encoding="utf-8"))["url"]
    except (ValueError, OSError):
        return None  # still being written


class Notebook:
    """An open notebook: its cells, its kernel, and what they show."""

    def __init__(self, page, server, name):
        self.page = page
        self.server = server
        self.name = name
        self.cells = page.locator(".jp-Notebook .jp-Cell")

    def wait_for_kernel(self):
        # The indicator beside the kernel's name is idle, too, where there is no kernel yet.
        idle = {
            "lab": self.page.locator("#jp-main-statusbar").get_by_text("Python 3 (ipykernel) | Idle"),
            "notebook": self.page.locator(
                ".jp-NotebookPanel-toolbar:has-text('Python 3 (ipykernel)') [data-status=idle]"
            ),
        }[self.server.app]
        idle.wait_for(timeout=_MILLISECONDS_OF_A_KERNEL)

    def fill(self, *cells):
        """Replace all cells, without outputs."""
        self.page.evaluate(_FILL, cells)
        expect(self.cells).to_have_count(len(cells))

    def show(self, *cells):
        """Replace all cells, run the first one, and return the explorer that it shows, once it is complete."""
        self.fill(*cells)
        self.run(0)
        return self.shown(0)

    def shown(self, index):
        """Return the explorer of a cell, once it is complete and its curves are drawn."""
        view = self.explorer(index)
        expect(view).to_have_attribute("data-status", "ready")
        expect(view.get_by_test_id("curves")).to_have_attribute("data-state", "ready")
        return view

    def run(self, index, *, wait=True):
        """Run a cell with the keyboard, and wait until it has its number."""
        cell = self.cells.nth(index)
        prompt = cell.locator(".jp-InputPrompt").first
        before = prompt.inner_text()
        cell.locator(".cm-content").first.click()
        self.page.keyboard.press("Control+Enter")
        if wait:
            numbered = re.compile(r"\[\d+\]")
            expect(prompt).to_have_text(numbered, timeout=_MILLISECONDS_OF_A_KERNEL)
            expect(prompt).not_to_have_text(before)
        return cell

    def output(self, index):
        """Where the text stands that a cell printed or returned."""
        return self.cells.nth(index).locator(".jp-OutputArea-output pre").first

    def do(self, code):
        """Run code in the kernel without a cell."""
        self.page.evaluate(_EXECUTE, [code, "None"])

    def ask(self, code):
        """Evaluate an expression in the kernel without a cell; return its value as JSON has it."""
        return json.loads(ast.literal_eval(self.page.evaluate(_EXECUTE, ["", _TO_JSON.format(f"({code})")])))

    def value(self, _index, code):
        """Return what a cell would print of an expression."""
        return self.ask(f"str({code})")

    def agrees(self, code, wanted):
        """Evaluate until the value is the wanted one: a widget sends a change once the last one is answered."""
        soon(lambda: self.ask(code), wanted)

    def rewrite(self, index, code):
        """Replace the text of a cell."""
        editor = self.cells.nth(index).locator(".cm-content").first
        editor.click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(code)

    def save(self):
        """Save the notebook, and wait until it is in its file."""
        self.page.evaluate("() => jupyterapp.shell.currentWidget.context.save()")

    def explorer(self, index):
        """The view of an explorer that a cell shows."""
        return self.cells.nth(index).get_by_test_id("ice-explorer")

    def restart_kernel(self):
        """Restart the kernel from the menu, confirming what Lab asks."""
        self.page.get_by_role("menuitem", name="Kernel", exact=True).click()
        self.page.get_by_role("menuitem", name=re.compile("^Restart Kernel…")).click()
        # Until it restarts the kernel is idle as well.
        self.page.evaluate(
            """() => {
                delete document.body.dataset.restarts;
                jupyterapp.shell.currentWidget.sessionContext.statusChanged.connect((_, status) => {
                    if (status === "restarting") document.body.dataset.restarts = "yes";
                });
            }"""
        )
        self.page.locator(".jp-Dialog .jp-mod-accept").click()
        expect(self.page.locator("body")).to_have_attribute("data-restarts", "yes")
        self.wait_for_kernel()

    def shut_down(self):
        """End the kernel."""
        self.server.end_kernel(self.name)
