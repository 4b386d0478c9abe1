# SPDX-License-Identifier: Apache-2.0
"""The IMAP server: Dovecot with Maildir; clients that read half of the time, and else mark, move, delete and append.

Numbers of mailboxes, messages, clients and operations are those of the papers' published script (imap-punish.py in
oscarlab/betrfs): its clients mark, delete and append; marks and moves are what a reader of mail does.
"""

import os
import sys

from evaluation import imap_load
from evaluation.process import Failure

NAME = "imap"
TITLE = "The IMAP server: Dovecot with Maildir"
SLOW = ("fuse2fs",)
NEEDS = (imap_load.SERVER,)
SIZES = {"messages": (250, 2500, 10), "operations": (120, 10_000, 10)}
BOXES, CLIENTS = 10, 8
USER = 65534  # Dovecot refuses to serve root
MIXES = (("mark", "move"), ("mark", "delete", "append"))

CONFIG = """\
base_dir = {work}/dovecot
state_dir = {work}/dovecot
protocols = imap
ssl = no
mail_location = maildir:{maildir}
mail_uid = {user}
mail_gid = {user}
"""


def disk_mib(sizes):
    return (BOXES * sizes.messages + CLIENTS * sizes.operations) * 8 / 1024  # a block and an inode each, indexes


def prepare(setting):
    """The server has to get to the mount."""
    path = setting.work
    while path != "/":
        if not os.stat(path).st_mode & 0o001:
            raise Failure(f"{path}: only its owner may enter, and Dovecot does not serve root; choose another --dir")
        path = os.path.dirname(path)


def run(bench):
    maildir = bench.path("mail")
    config = os.path.join(bench.setting.work, "dovecot.conf")
    with open(config, "w", encoding="utf-8") as file:
        file.write(CONFIG.format(work=bench.setting.work, maildir=maildir, user=USER))
    bench.run("install", "-d", "-o", str(USER), "-g", str(USER), maildir)
    with bench.rate("mailboxes filled + sync", BOXES * bench.messages, "messages/s"):
        _load(bench, "fill", maildir, BOXES, bench.messages)
        bench.system.sync()
    for writes in MIXES:
        bench.cold()
        with bench.rate(f"half reads, half {in_words(writes)}, cold", CLIENTS * bench.operations, "operations/s"):
            _load(bench, "work", config, BOXES, CLIENTS, bench.operations, ",".join(writes))
            bench.system.sync()


def in_words(kinds):
    *first, last = (f"{kind}s" for kind in kinds)
    return f"{', '.join(first)} and {last}"


def _load(bench, *arguments):
    environment = {"PATH": os.environ.get("PATH", ""), "USER": "betr", "HOME": bench.setting.work}
    bench.run(sys.executable, "-B", imap_load.__file__, *map(str, arguments), env=environment)
