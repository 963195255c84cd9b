"""Faults while files are written or read: each file is complete or absent, and errors name what to do."""

import errno
import os
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np
import pytest

import ice_explorer as ice
from ice_explorer.errors import ExportError
from ice_explorer.export import regular_files
from ice_explorer.export.regular_files import open_file, write_file

unix = pytest.mark.skipif(sys.platform == "win32", reason="processes, links and modes of Unix")


def names(folder):
    return sorted(file.name for file in folder.iterdir())


def parts(folder):
    return [name for name in names(folder) if name.endswith(".part")]


def refusal(function, *arguments, **options):
    with pytest.raises(ExportError) as refused:
        function(*arguments, **options)
    return str(refused.value)


# --- processes that are killed --------------------------------------------------------------------

# Each child writes a file and is killed at some moment; then another file is written into the folder.
KILLED = """
import os, random, signal, sys, time
from pathlib import Path
from ice_explorer.export.regular_files import write_file

folder, n, moment = Path(sys.argv[1]), int(sys.argv[2]), random.Random(0)
contents = [letter * 3_000_000 for letter in (b"a", b"b")]


def seconds():
    start = time.perf_counter()
    write_file(folder / "first.csv", contents[0], overwrite=True)
    return time.perf_counter() - start


longest = 2 * max(seconds() for _ in range(3))  # disks differ a hundredfold
outcomes = []
for i in range(n):
    target, overwrite = folder / f"{i % 4}.csv", i % 2 == 0
    if not overwrite:
        target.unlink(missing_ok=True)
    child = os.fork()
    if child == 0:
        for k in range(1000):
            write_file(target, contents[k % 2], overwrite=overwrite)
            if not overwrite:
                break
        os._exit(0)
    time.sleep(moment.random() * longest)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    content = target.read_bytes() if target.exists() else None
    assert content in (None, *contents), f"{len(content)} bytes after {i} processes"
    is_left = any(folder.glob(".*.part"))
    write_file(folder / "next.csv", b"next", overwrite=True)
    assert not any(folder.glob(".*.part")), i
    outcomes.append((content is not None, is_left))
print(sum(whole for whole, _ in outcomes), sum(left for _, left in outcomes), len(outcomes))
"""


@unix
@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_process_that_is_killed_while_writing_leaves_a_complete_file_or_none(tmp_path):
    """At random moments of a write; the next save into the folder removes temporary files."""
    n = os.environ.get("ICE_EXPLORER_KILLS", "60")
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), n], capture_output=True, text=True, check=False)
    assert done.stderr == ""
    whole, left, tried = map(int, done.stdout.split())
    assert tried == int(n)
    assert whole > 0
    assert left > 0  # so that the moment was within a write


# The process ends itself before, or in the middle of, one of the steps of a write.
STEP = """
import os, signal, sys
from pathlib import Path
from ice_explorer.export import regular_files

def end(*_arguments, **_options):
    os.kill(os.getpid(), signal.SIGKILL)

step, target, overwrite = sys.argv[1], Path(sys.argv[2]), sys.argv[3] == "overwrite"
if step == "write":
    real = os.write
    class Half:
        def __init__(self, descriptor, *_arguments, **_options):
            self.descriptor = descriptor
        def __enter__(self):
            return self
        def __exit__(self, *_error):
            pass
        def write(self, content):
            real(self.descriptor, content[: len(content) // 2])
            end()
    regular_files.open = Half
elif step == "no hard links":
    Path.hardlink_to = lambda *_arguments: (_ for _ in ()).throw(PermissionError(1, "no hard links"))
    Path.replace = end
else:
    owner, name = (os, step) if step in ("fsync", "close") else (Path, step)
    setattr(owner, name, end)
regular_files.write_file(target, b"new" * 1000, overwrite=overwrite)
"""


@unix
@pytest.mark.slow
@pytest.mark.parametrize(
    ("step", "overwrite", "becomes"),
    [
        ("write", "no", None),
        ("fsync", "no", None),
        ("hardlink_to", "no", None),
        ("unlink", "no", b"new" * 1000),
        ("no hard links", "no", b""),
        ("write", "overwrite", b"old"),
        ("chmod", "overwrite", b"old"),
        ("replace", "overwrite", b"old"),
        ("unlink", "overwrite", b"new" * 1000),
    ],
)
def test_a_process_that_ends_at_any_step_of_a_write_leaves_the_old_file_the_new_one_or_none(
    tmp_path, step, overwrite, becomes
):
    """It is empty between two steps where there are no hard links."""
    target = tmp_path / "view.svg"
    if overwrite == "overwrite":
        target.write_bytes(b"old")
    done = subprocess.run([sys.executable, "-c", STEP, step, str(target), overwrite], check=False)
    assert done.returncode == -signal.SIGKILL
    assert (target.read_bytes() if target.exists() else None) == becomes
    assert len(parts(tmp_path)) == (0 if (step, overwrite) == ("unlink", "overwrite") else 1)
    write_file(target, b"next", overwrite=True)
    assert names(tmp_path) == ["view.svg"]
    assert target.read_bytes() == b"next"


@unix
@pytest.mark.slow
def test_a_save_of_all_features_that_is_killed_leaves_complete_files_of_the_first_features(tmp_path):
    """A save that replaces them writes all, and nothing else is left."""
    code = (
        "import os, signal, sys, numpy as np, ice_explorer\n"
        "from ice_explorer.export import save\n"
        "e = ice_explorer.explain(lambda X: X @ [3.0, 2.0, 1.0], np.eye(3), progress=False)\n"
        "write, n = save.write_file, iter(range(9))\n"
        "def fifth(*arguments, **options):\n"
        "    if next(n) == 4:\n"
        "        os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)\n"
        "    write(*arguments, **options)\n"
        "if len(sys.argv) > 1:\n"
        "    save.write_file = fifth\n"
        "e.save('{feature}.csv', 'all', overwrite=True)\n"
    )
    killed = subprocess.run([sys.executable, "-c", code, "killed"], cwd=tmp_path, check=False)
    assert killed.returncode == -signal.SIGKILL
    whole = sorted(tmp_path.glob("*.csv"))
    assert [file.name for file in whole] == ["x0.csv", "x1.csv"]
    assert [ice.provenance(file)["feature"] for file in whole] == ["x0", "x1"]
    assert len(parts(tmp_path)) == 1
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    assert names(tmp_path) == [f"x{at}.csv{end}" for at in range(3) for end in ("", ".json")]


# --- several writers ------------------------------------------------------------------------------


def test_a_temporary_file_of_another_writer_is_left_alone_and_one_of_a_process_that_is_gone_is_removed(
    tmp_path, monkeypatch
):
    """A temporary file that is locked belongs to somebody."""
    (tmp_path / ".ice-explorer-0123456789abcdef.part").write_bytes(b"half")
    (tmp_path / ".ice-explorer-mine.part").write_bytes(b"not of this kind")
    sync, is_open, may_go_on = os.fsync, threading.Event(), threading.Event()

    def slow(descriptor):
        if threading.current_thread() is writer:
            is_open.set()
            assert may_go_on.wait(30)
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", slow)
    writer = threading.Thread(target=write_file, args=(tmp_path / "slow.csv", b"slow"), kwargs={"overwrite": False})
    writer.start()
    assert is_open.wait(30)
    write_file(tmp_path / "quick.csv", b"quick", overwrite=False)
    assert len(parts(tmp_path)) == 2  # that of the other writer, and the one of another kind
    may_go_on.set()
    writer.join()
    found = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    assert found == {"slow.csv": b"slow", "quick.csv": b"quick", ".ice-explorer-mine.part": b"not of this kind"}


def test_of_writers_of_one_name_one_file_is_complete_and_none_is_replaced_without_overwrite(tmp_path):
    """Of many at once, one gets a free name, and the others raise; where they may replace it, one is last."""
    target, errors = tmp_path / "view.csv", []

    def write(letter, *, overwrite):
        try:
            write_file(target, letter * 200_000, overwrite=overwrite)
        except ExportError as error:
            errors.append(str(error))

    for overwrite, refused in ((False, 7), (True, 7)):
        threads = [
            threading.Thread(target=write, args=(bytes([65 + i]),), kwargs={"overwrite": overwrite}) for i in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        content = target.read_bytes()
        assert (len(content), len(set(content))) == (200_000, 1)
        assert len(errors) == refused
    assert {error.partition(";")[0] for error in errors} == {"`path` must not exist yet"}
    assert parts(tmp_path) == []


def without_links(*_arguments):
    raise OSError(errno.EPERM, "Operation not permitted")


@pytest.mark.parametrize("has_links", [True, False])
def test_a_name_that_is_taken_during_a_write_is_left_to_whoever_took_it(tmp_path, monkeypatch, has_links):
    """Between looking and naming there is no gap in which a file is lost, with hard links or without."""
    target, sync = tmp_path / "view.csv", os.fsync

    def taken(descriptor):
        target.write_bytes(b"theirs")
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", taken)
    if not has_links:
        monkeypatch.setattr(Path, "hardlink_to", without_links)
    message = refusal(write_file, target, b"ours", overwrite=False)
    assert message == (
        f"`path` must not exist yet; there is a file at {str(target)!r}. Pass `overwrite=True` to replace it."
    )
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == {"view.csv": b"theirs"}


def test_file_systems_without_hard_links_or_locks_have_complete_files(tmp_path, monkeypatch):
    """A name is taken and then given; a temporary file of others is removed after a day."""
    monkeypatch.setattr(Path, "hardlink_to", without_links)
    monkeypatch.setattr(regular_files, "_lock", lambda _descriptor: None)
    old, young = (tmp_path / f".ice-explorer-{digit * 16}.part" for digit in "01")
    old.write_bytes(b"half")
    young.write_bytes(b"half")
    os.utime(old, (time.time() - 90_000,) * 2)
    write_file(tmp_path / "view.csv", b"whole", overwrite=False)
    assert names(tmp_path) == [young.name, "view.csv"]
    assert (tmp_path / "view.csv").read_bytes() == b"whole"


@pytest.mark.parametrize("overwrite", [True, False])
def test_a_temporary_file_that_another_process_removes_is_written_again(tmp_path, monkeypatch, overwrite):
    """Where nothing can be locked, and as on Windows, where a file is closed before it is named."""
    monkeypatch.setattr(regular_files, "fcntl", None)
    monkeypatch.setattr(regular_files, "_IS_WINDOWS", True)
    give, calls = regular_files._give_name, []

    def once(part, target, *, overwrite):
        calls.append(part)
        if len(calls) == 1:
            part.unlink()
        give(part, target, overwrite=overwrite)

    monkeypatch.setattr(regular_files, "_give_name", once)
    write_file(tmp_path / "view.csv", b"whole", overwrite=overwrite)
    assert len(set(calls)) == 2
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == {"view.csv": b"whole"}


# --- disks ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
@pytest.mark.parametrize("is_there", [True, False])
def test_a_full_disk_or_ctrl_c_during_a_write_changes_no_file(tmp_path, monkeypatch, error, is_there):
    """What is replaced stays until the new file is complete; the error is that of the system."""
    path = tmp_path / "view.svg"
    if is_there:
        path.write_bytes(b"precious")

    def fails(_descriptor):
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", fails)
        if isinstance(error, OSError):
            assert refusal(write_file, path, b"new", overwrite=True) == (
                f"`path` must be where files can be written; at {str(path)!r} the system says: No space left on "
                "device. Choose another folder, or make room."
            )
        else:
            with pytest.raises(KeyboardInterrupt):
                write_file(path, b"new", overwrite=True)
    assert [file.read_bytes() for file in tmp_path.iterdir()] == ([b"precious"] if is_there else [])


@unix
@pytest.mark.parametrize(
    ("options", "reason"), [("size=64k", "No space left on device"), ("ro", "Read-only file system")]
)
def test_a_file_system_that_is_full_or_read_only_is_an_error_and_leaves_no_file(tmp_path, options, reason):
    """Where this process may mount one in memory."""
    with mounted(tmp_path, options) as folder:
        message = refusal(write_file, folder / "view.csv", b"x" * 1_000_000, overwrite=False)
        assert f"the system says: {reason}. Choose another folder, or make room." in message
        assert names(folder) == []
        if options != "ro":
            write_file(folder / "view.csv", b"x" * 1000, overwrite=False)


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
    """A name of 255 bytes is written, though nothing could be put behind it."""
    target = tmp_path / ("x" * 251 + ".csv")
    write_file(target, b"whole", overwrite=False)
    assert target.read_bytes() == b"whole"
    message = refusal(write_file, tmp_path / ("x" * 252 + ".csv"), b"x", overwrite=False)
    assert message.endswith("the system says: File name too long. Choose a shorter name.")


# --- what is there --------------------------------------------------------------------------------


@unix
def test_a_device_a_pipe_or_a_folder_is_an_error_without_waiting(tmp_path):
    """Also a socket and a link to nothing; only regular files are replaced or read."""
    folder, pipe, nowhere, loop = (tmp_path / name for name in ("folder", "pipe", "nowhere", "loop"))
    folder.mkdir()
    os.mkfifo(pipe)
    nowhere.symlink_to(tmp_path / "gone")
    loop.symlink_to(loop)
    cases = {folder: "a folder", pipe: "a named pipe", Path(os.devnull): "a device"}
    # A socket has a name of 107 letters at most.
    with socket.socket(socket.AF_UNIX) as end, tempfile.TemporaryDirectory(dir="/tmp") as short:
        end.bind(f"{short}/socket")
        cases[Path(short, "socket")] = "a socket"
        for path, what in cases.items():
            expected = f"`path` must be that of a file; there is {what} at {str(path)!r}. Choose another name."
            assert refusal(write_file, path, b"x", overwrite=True) == expected
            assert refusal(write_file, path, b"x", overwrite=False) == expected
            assert refusal(open_file, path) == expected
    for link in (nowhere, loop):
        assert refusal(write_file, link, b"x", overwrite=True) == (
            f"`path` must be that of a file; there is a link that leads nowhere at {str(link)!r}. Choose another name."
        )
        assert "there is none at" in refusal(open_file, link)
    assert names(tmp_path) == ["folder", "loop", "nowhere", "pipe"]


@unix
def test_a_file_that_is_replaced_keeps_its_permissions_and_its_link(tmp_path):
    """A new file has the permissions that the umask leaves."""
    before = os.umask(0o027)
    try:
        write_file(tmp_path / "new.csv", b"x", overwrite=False)
    finally:
        os.umask(before)
    kept, link = tmp_path / "kept.csv", tmp_path / "link.csv"
    kept.write_bytes(b"old")
    kept.chmod(0o604)
    link.symlink_to("kept.csv")
    write_file(link, b"new", overwrite=True)
    assert stat.S_IMODE((tmp_path / "new.csv").stat().st_mode) == 0o640
    assert stat.S_IMODE(kept.stat().st_mode) == 0o604
    assert (link.is_symlink(), kept.read_bytes()) == (True, b"new")
    if os.geteuid() == 0:
        os.chown(kept, 12345, 23456)
        write_file(kept, b"newer", overwrite=True)
        assert (kept.stat().st_uid, kept.stat().st_gid) == (12345, 23456)


# --- reading --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "suffix",
    [pytest.param(name, marks=pytest.mark.wide) for name in ("png", "pdf", "html", "parquet")] + ["svg", "json"],
)
def test_of_a_huge_file_provenance_reads_a_part(tmp_path, monkeypatch, suffix):
    """Its start or its end says where it comes from: no more than that is in memory."""
    X = np.random.default_rng(7).normal(size=(30, 2))
    saved = ice.explain(lambda X: X[:, 0] * X[:, 1], X, progress=False).save(tmp_path / f"view.{suffix}")
    content, code = saved.read_bytes(), ice.provenance(saved)["code"]
    large, most = tmp_path / f"large.{suffix}", len(content) - 100
    monkeypatch.setattr("ice_explorer.export.read_provenance._MOST_BYTES", most)
    large.write_bytes(content)
    assert ice.provenance(large)["code"] == code
    if suffix in {"pdf", "parquet"}:
        large.write_bytes(content[:100] + b"\0" * most + content)
    else:
        with large.open("r+b") as file:
            file.truncate(1 << 40)  # a hole, which takes no room
    assert ice.provenance(large)["code"] == code


UNREADABLE = {
    "encoding": b'<?xml version="1.0" encoding="klingon"?><svg></svg>',
    "no text encoding": b'<?xml version="1.0" encoding="hex"?><svg></svg>',
    "several bytes": b'<?xml version="1.0" encoding="utf-7"?><svg></svg>',
    "5,000 digits": b'{"provenance": {"code": ' + b"9" * 5000 + b"}}",
    "utf-16": '{"provenance": {}}'.encode("utf-16-le"),
    "no code": b'{"provenance": {"feature": "x"}}',
    "half a character": b'{"code": "\xff"}',
    "brackets": b'{"a": ' + b"[" * 200_000,
    "empty": b"",
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_a_file_without_readable_provenance_is_an_error(tmp_path, name):
    """Whatever is in it."""
    path = tmp_path / "view.svg"
    path.write_bytes(UNREADABLE[name])
    assert "does not say where it comes from" in refusal(ice.provenance, path)


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="files of Linux that are none")
def test_a_file_that_the_system_does_not_read_is_an_error_with_its_reason():
    """And with what to do."""
    assert refusal(ice.provenance, "/proc/self/mem") == (
        "`path` must be a file that can be read; of '/proc/self/mem' the system says: Input/output error. "
        "Check its name and its permissions."
    )
