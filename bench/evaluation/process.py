# SPDX-License-Identifier: Apache-2.0
"""Running programs: what fails becomes a Failure with the program's complaint."""

import contextlib
import ctypes
import os
import re
import shlex
import shutil
import signal
import subprocess
import time


CLONE_NEWNS = 0x00020000
LINGER = 10  # seconds for what was killed


class Failure(Exception):
    """A step that did not work, in words for the user."""


def run(*command, allow=(), timeout=None, **options):
    """Runs a program to its end; what it printed. `allow`: exit codes besides 0 that are no failure. It leads a process
    group, all of which is killed if the end is not waited for."""
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    child = subprocess.Popen(command, text=True, errors="replace", process_group=0, **pipes, **options)
    try:
        printed, complaint = child.communicate(timeout=timeout)
    except BaseException as error:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        _abandon(child)
        if isinstance(error, subprocess.TimeoutExpired):
            raise Failure(f"{shlex.join(command)[:300]}: stopped after {timeout:g} s (--limit)") from None
        raise
    if child.returncode not in (0, *allow):
        raise Failure(f"{shlex.join(command)[:300]}: exit {child.returncode}: {complaint.strip()[-1000:]}")
    return printed


def _abandon(child):
    """Waits for what was killed, but not for ever: a system call that does not end keeps it alive, and who left its
    group keeps its pipes open."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.communicate(timeout=LINGER)
    for pipe in (child.stdout, child.stderr):
        pipe.close()
    child.poll()


def start(*command, log, **options):
    """Starts a server. It has a session of its own, so that ^C does not end it before it is unmounted."""
    with open(log, "ab") as file:
        return subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=file, stderr=file, start_new_session=True, **options
        )


def wait_until(ready, what, server=None, log=None, seconds=60):
    """Waits for `ready()`, as long as the server lives."""
    deadline = time.monotonic() + seconds
    while not ready():
        dead = server is not None and server.poll() is not None
        if dead or time.monotonic() > deadline:
            reason = f"ended with {server.returncode}" if dead else f"nothing after {seconds} s"
            raise Failure(f"{what}: {reason}{tail(log)}")
        time.sleep(0.02)


def tail(log):
    """The end of what a server has said."""
    if log is None or not os.path.exists(log):
        return ""
    with open(log, encoding="utf-8", errors="replace") as file:
        return ": " + file.read()[-1000:].strip()


def stop(server, seconds=120):
    """Waits for a server that was told to end, by its unmounting; then insists. Whether it ended by itself."""
    if server is None:
        return True
    for number in (None, signal.SIGTERM, signal.SIGKILL):
        if number is not None:
            server.send_signal(number)
        try:
            server.wait(seconds if number is None else LINGER)
            return number is None
        except subprocess.TimeoutExpired:
            continue
    return False


def _mounts():
    """(source, path, kind) of all that is mounted, the oldest first."""
    with open("/proc/self/mounts", encoding="utf-8", errors="surrogateescape") as file:
        lines = [line.split(" ") for line in file]
    return [(_plain(source), _plain(path), kind) for source, path, kind, *_ in lines]


def is_mounted(path):
    """By the kernel's list: a mount is there also when its server is dead, and every look into it fails."""
    folder, name = os.path.split(os.path.abspath(path))
    path = os.path.join(os.path.realpath(folder), name)
    return any(path == mounted for _, mounted, _ in _mounts())


def is_served(path):
    """Mounted, and its server answers."""
    return is_mounted(path) and os.path.ismount(path)


def unmount(path, tries=50, seconds=600):
    """Unmounts; who is still using it gets some seconds, and a server that does not answer some minutes, then it is
    detached. So is what a dead server has left."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        for _ in range(tries):
            if not is_mounted(path):
                return
            done = subprocess.run(["umount", path], capture_output=True, check=False, timeout=seconds)
            if done.returncode != 0:
                time.sleep(0.1)
    while is_mounted(path):
        run("umount", "-l", path)


def own_mounts(needed=()):
    """From now on nobody sees what is mounted here, nor gets a copy that would keep it alive when it is unmounted; and
    nothing that others unmount lives on here, but for what the paths in `needed` lie on. All ends with this process."""
    if ctypes.CDLL(None, use_errno=True).unshare(CLONE_NEWNS) != 0:
        raise Failure(f"unshare: {os.strerror(ctypes.get_errno())}")
    run("mount", "--make-rprivate", "/")
    for path in mounts_of_others(_mounts(), needed):
        subprocess.run(["umount", "-l", path], capture_output=True, check=False)


def mounts_of_others(mounts, needed):
    """Those of loop devices and FUSE, the newest first, that nothing of ours is on."""
    wanted = [os.path.realpath(path) + "/" for path in needed]
    for source, path, kind in reversed(mounts):
        is_ours = any(there.startswith(path.rstrip("/") + "/") for there in wanted)
        if not is_ours and (source.startswith("/dev/loop") or kind.startswith("fuse")):
            yield path


def _plain(path):
    """Without the escapes of /proc/self/mounts."""
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match.group(1), 8)), path)


def missing(programs):
    """Those of the programs that are not installed."""
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    return [program for program in programs if shutil.which(program, path=path) is None]
