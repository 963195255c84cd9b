"""Faults while files are written or read: each file is complete or absent, and errors name what to do."""

import os
import signal
import stat
import subprocess
import sys
import threading
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from ice_explorer.errors import OptionError
from ice_explorer.export.files import open_file, write_files

unix = pytest.mark.skipif(sys.platform == "win32", reason="processes, links and modes of Unix")


def names(folder):
    return sorted(file.name for file in folder.iterdir())


def refusal(function, *arguments, **options):
    with pytest.raises(OptionError) as refused:
        function(*arguments, **options)
    return str(refused.value)


# Each child writes two files and is killed at some moment.
KILLED = """
import os, random, signal, sys, time
from pathlib import Path
from ice_explorer.export.files import write_files

folder, moment = Path(sys.argv[1]), random.Random(0)
contents = [letter * 3_000_000 for letter in (b"a", b"b")]
start = time.perf_counter()
write_files({folder / "first.csv": contents[0]}, overwrite=True)
longest = 4 * (time.perf_counter() - start)
for i in range(30):
    target, overwrite = folder / f"{i % 4}.csv", i % 2 == 0
    if not overwrite:
        target.unlink(missing_ok=True)
    child = os.fork()
    if child == 0:
        for k in range(1000 if overwrite else 1):
            write_files({target: contents[k % 2]}, overwrite=overwrite)
        os._exit(0)
    time.sleep(moment.random() * longest)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    content = target.read_bytes() if target.exists() else None
    assert content in (None, *contents), f"{len(content)} bytes after {i} processes"
"""


@unix
@pytest.mark.slow
def test_a_process_that_is_killed_while_writing_leaves_a_complete_file_or_none(tmp_path):
    """At random moments of a write."""
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], capture_output=True, text=True, check=False)
    assert done.stderr == ""


@unix
def test_a_process_that_is_killed_between_the_parts_of_a_write_changes_no_file(tmp_path):
    """Both files are written before either is renamed; the temporary folder stays and disturbs no later save."""
    target, origin = tmp_path / "a.csv", tmp_path / "a.csv.json"
    target.write_bytes(b"old")
    code = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from ice_explorer.export.files import write_files\n"
        "Path.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)\n"
        "write_files({Path('a.csv'): b'new', Path('a.csv.json'): b'{}'}, overwrite=True)\n"
    )
    killed = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert (target.read_bytes(), origin.exists(), len(names(tmp_path))) == (b"old", False, 2)
    write_files({target: b"new", origin: b"{}"}, overwrite=True)
    assert (target.read_bytes(), origin.read_bytes()) == (b"new", b"{}")


def test_of_writers_of_one_name_one_file_is_complete_and_none_is_replaced_without_overwrite(tmp_path):
    """Of many at once, one gets a free name, and the others raise; where they may replace it, one is last."""
    target, errors = tmp_path / "view.csv", []

    def write(letter, *, overwrite):
        try:
            write_files({target: letter * 200_000}, overwrite=overwrite)
        except OptionError as error:
            errors.append(str(error))

    for overwrite in (False, True):
        threads = [
            threading.Thread(target=write, args=(bytes([65 + i]),), kwargs={"overwrite": overwrite}) for i in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        content = target.read_bytes()
        assert (len(content), len(set(content)), len(errors)) == (200_000, 1, 7)
    assert {error.partition(";")[0] for error in errors} == {"`path` must not exist yet"}
    assert names(tmp_path) == ["view.csv"]


def test_a_file_that_another_process_creates_during_a_write_is_not_replaced(tmp_path, monkeypatch):
    """Between the check and the rename there is no gap in which a file is lost."""
    target, write = tmp_path / "view.csv", Path.write_bytes

    def taken(part, content):
        write(target, b"theirs")
        return write(part, content)

    monkeypatch.setattr(Path, "write_bytes", taken)
    message = refusal(write_files, {target: b"ours"}, overwrite=False)
    assert message == (
        f"`path` must not exist yet; there is a file at {str(target)!r}. Pass `overwrite=True` to replace it."
    )
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == {"view.csv": b"theirs"}


def test_a_file_system_without_hard_links(tmp_path, monkeypatch):
    """A file that must be new is renamed there."""

    def refused(*_):
        raise PermissionError(1, "Operation not permitted")

    target = tmp_path / "view.csv"
    monkeypatch.setattr(Path, "hardlink_to", refused)
    write_files({target: b"ours"}, overwrite=False)
    assert "must not exist yet" in refusal(write_files, {target: b"again"}, overwrite=False)
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == {"view.csv": b"ours"}


# --- disks ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("is_there", [True, False])
def test_a_full_disk_or_ctrl_c_during_a_write_changes_no_file(tmp_path, monkeypatch, error, is_there):
    """Files stay until all new ones are complete, also where the second one fails; the reason is that of the system."""
    path, write = tmp_path / "a.csv", Path.write_bytes
    if is_there:
        path.write_bytes(b"precious")

    def fails_second(part, content):
        if part.name == "1":
            raise error
        return write(part, content)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_bytes", fails_second)
        contents = {path: b"new", tmp_path / "a.csv.json": b"{}"}
        if isinstance(error, OSError):
            assert refusal(write_files, contents, overwrite=True) == (
                f"`path` must be that of a file which can be used; of {str(path)!r} the system says: No space left on "
                "device. Choose another name or folder."
            )
        else:
            with pytest.raises(KeyboardInterrupt):
                write_files(contents, overwrite=True)
    assert [file.read_bytes() for file in tmp_path.iterdir()] == ([b"precious"] if is_there else [])


@unix
@pytest.mark.parametrize(
    ("options", "reason"), [("size=64k", "No space left on device"), ("ro", "Read-only file system")]
)
def test_a_file_system_that_is_full_or_read_only_is_an_error_and_leaves_no_file(tmp_path, options, reason):
    """Where this process may mount one in memory."""
    with mounted(tmp_path, options) as folder:
        message = refusal(write_files, {folder / "view.csv": b"x" * 1_000_000}, overwrite=False)
        assert f"the system says: {reason}. Choose another name or folder." in message
        assert names(folder) == []
        if options != "ro":
            write_files({folder / "view.csv": b"x" * 1000}, overwrite=False)


@contextmanager
def mounted(folder, options):
    place = folder / "mounted"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)]
    with suppress(FileNotFoundError):
        if subprocess.run(command, capture_output=True, check=False).returncode == 0:
            try:
                yield place
            finally:
                subprocess.run(["umount", str(place)], check=True)
            return
    pytest.skip("only root mounts file systems")


def test_a_name_that_is_too_long_is_an_error_and_the_longest_one_is_written(tmp_path):
    """A name of 255 bytes is written, though nothing could be appended to it."""
    target = tmp_path / ("x" * 251 + ".csv")
    write_files({target: b"whole"}, overwrite=False)
    assert target.read_bytes() == b"whole"
    message = refusal(write_files, {tmp_path / ("x" * 252 + ".csv"): b"x"}, overwrite=False)
    assert message.endswith("the system says: File name too long. Choose another name or folder.")


# --- what is there --------------------------------------------------------------------------------


@unix
def test_only_regular_files_are_replaced_or_read(tmp_path):
    """A folder or a device stays what it is, and reading does not wait for a pipe."""
    folder, pipe = tmp_path / "folder", tmp_path / "pipe"
    folder.mkdir()
    os.mkfifo(pipe)
    for path in (folder, pipe, Path(os.devnull)):
        expected = f"{str(path)!r} the system says: Not a regular file. Choose another name or folder."
        for overwrite in (True, False):
            assert refusal(write_files, {path: b"x"}, overwrite=overwrite).endswith(expected)
        assert refusal(open_file, path).endswith(expected)
    assert "the system says: No such file or directory." in refusal(open_file, tmp_path / "nothing.ice")
    assert "the system says: No such file or directory." in refusal(
        write_files, {tmp_path / "no folder" / "a.csv": b"x"}, overwrite=True
    )


@unix
def test_a_file_that_is_replaced_keeps_its_permissions_and_its_link(tmp_path):
    """A new file has the permissions that the umask leaves."""
    before = os.umask(0o027)
    try:
        write_files({tmp_path / "new.csv": b"x"}, overwrite=False)
    finally:
        os.umask(before)
    kept, link = tmp_path / "kept.csv", tmp_path / "link.csv"
    kept.write_bytes(b"old")
    kept.chmod(0o604)
    link.symlink_to("kept.csv")
    write_files({link: b"new"}, overwrite=True)
    assert stat.S_IMODE((tmp_path / "new.csv").stat().st_mode) == 0o640
    assert stat.S_IMODE(kept.stat().st_mode) == 0o604
    assert (link.is_symlink(), kept.read_bytes()) == (True, b"new")
