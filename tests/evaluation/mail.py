# SPDX-License-Identifier: Apache-2.0
"""The clients of the IMAP server, a load of bench/evaluate that is a program of its own. Needs no disk."""

import concurrent.futures
import os
import signal
import sys
import tempfile
import unittest
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../bench"))

from evaluation import imap_load, process  # noqa: E402
from evaluation.experiments import imap  # noqa: E402


class FakeServer:
    """Answers as a server whose mailbox holds two messages; `said`: what it was asked."""

    said = []

    def __init__(self, _):
        pass

    def select(self, name):
        return "OK", [name]

    def uid(self, command, *arguments):
        self.said.append((command, *arguments))
        return "OK", [b"1 2" if command == "SEARCH" and len(self.said) == 1 else b""]

    def append(self, *_):
        self.said.append(("APPEND",))
        return "OK", [b""]

    def logout(self):
        self.said.append(("LOGOUT",))


class ImapTest(unittest.TestCase):
    def test_what_is_gone_is_not_asked_for(self):
        FakeServer.said = []
        with mock.patch("imaplib.IMAP4_stream", FakeServer), mock.patch.object(imap_load, "READS", 0):
            self.assertIsNone(imap_load.client("config", 1, [0], 4, ["delete"]))
        commands = [said[0] for said in FakeServer.said]
        expected = ["SEARCH", *["STORE", "EXPUNGE"] * 2, *["SEARCH", "APPEND"] * 2, "LOGOUT"]
        self.assertEqual(commands, expected)
        self.assertEqual({said[1] for said in FakeServer.said if said[0] == "EXPUNGE"}, {b"1", b"2"})

    def test_what_clients_complain_of_is_told_by_client(self):
        refuses = mock.Mock(side_effect=OSError("no server"))
        with mock.patch("imaplib.IMAP4_stream", refuses):
            told = imap_load.work("config", 3, 2, 20, ["mark"])
        self.assertEqual(told, "imap_load: client 0: no server\nimap_load: client 1: no server")

    def test_a_client_that_is_killed_is_not_waited_for(self):
        with mock.patch("imaplib.IMAP4_stream", lambda _: os.kill(os.getpid(), signal.SIGKILL)):
            self.assertRaises(concurrent.futures.BrokenExecutor, imap_load.work, "config", 3, 2, 20, ["mark"])

    def test_who_serves_has_to_get_there(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(process.Failure, f"^{folder}: only its owner may enter"):
                imap.prepare(mock.Mock(work=folder))
            os.chmod(folder, 0o711)
            imap.prepare(mock.Mock(work=folder))

    @unittest.skipUnless(os.geteuid() == 0 and not process.missing([imap_load.SERVER]), "needs root, dovecot-imapd")
    def test_dovecot_moves_and_loses_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o755)
            maildir, config = os.path.join(folder, "mail"), os.path.join(folder, "config")
            os.mkdir(maildir)
            os.chown(maildir, imap.USER, imap.USER)
            with open(config, "w", encoding="utf-8") as file:
                file.write(imap.CONFIG.format(work=folder, maildir=maildir, user=imap.USER))
            imap_load.fill(maildir, 3, 5)
            with mock.patch.dict(os.environ, {"USER": "betr", "HOME": folder}):
                self.assertEqual(imap_load.work(config, 3, 2, 20, ["mark", "move"]), "")
            parts = [files for path, _, files in os.walk(maildir) if os.path.basename(path) in ("cur", "new")]
            names = [name for files in parts for name in files]
            self.assertEqual(len(names), 15)
            self.assertTrue(any("F" in name.partition(":2,")[2] for name in names), names)


unittest.main()
