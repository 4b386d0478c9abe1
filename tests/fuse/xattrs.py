# SPDX-License-Identifier: Apache-2.0
"""Extended attributes and access lists: more cases for files.py."""

import errno
import os
import shutil
import stat
import subprocess


class XattrCases:
    def test_xattrs(self):
        os.close(os.open("file", os.O_CREAT, 0o666))
        os.setxattr("file", "user.small", b"value")
        os.setxattr("file", "user.large", b"v" * 60000)
        self.assertEqual(os.getxattr("file", "user.small"), b"value")
        self.assertEqual(os.getxattr("file", "user.large"), b"v" * 60000)
        self.assertEqual(sorted(os.listxattr("file")), ["user.large", "user.small"])
        self.fails(errno.EEXIST, os.setxattr, "file", "user.small", b"", os.XATTR_CREATE)
        self.fails(errno.ENODATA, os.setxattr, "file", "user.none", b"", os.XATTR_REPLACE)
        self.fails(errno.EOPNOTSUPP, os.setxattr, "file", "bogus.name", b"")
        for name in "user.", "trusted.", "security.":
            self.fails(errno.EINVAL, os.setxattr, "file", name, b"")
            self.fails(errno.EINVAL, os.getxattr, "file", name)
            self.fails(errno.EINVAL, os.removexattr, "file", name)
        self.fails(errno.EOPNOTSUPP, os.getxattr, "file", "bogus.name")
        self.fails(errno.EOPNOTSUPP, os.removexattr, "file", "bogus.name")
        both = os.XATTR_CREATE | os.XATTR_REPLACE
        self.fails(errno.EEXIST, os.setxattr, "file", "user.small", b"", both)
        self.fails(errno.ENODATA, os.setxattr, "file", "user.none", b"", both)
        os.removexattr("file", "user.large")
        self.fails(errno.ENODATA, os.getxattr, "file", "user.large")
        self.fails(errno.ENODATA, os.removexattr, "file", "user.large")
        # As on ext4: there is nothing that could be missing.
        for name in "system.posix_acl_access", "system.posix_acl_default":
            os.removexattr("file", name)
            os.removexattr(".", name)

    def test_times_of_change_with_access_lists(self):
        if shutil.which("setfacl") is None:
            self.skipTest("no setfacl")
        os.close(os.open("file", os.O_CREAT, 0o666))
        subprocess.run(["setfacl", "-m", "u:1234:rw", "file"], check=True)
        os.chmod("file", 0o600)
        subprocess.run(["setfacl", "-d", "-m", "u:1234:rwx", "."], check=True)
        os.close(os.open("new", os.O_CREAT, 0o666))
        os.mkdir("below")
        unnamed = os.open(".", os.O_TMPFILE | os.O_RDWR, 0o666)
        for name in "file", "new", "below", f"/proc/self/fd/{unnamed}":
            known, asked = (
                subprocess.run(
                    ["stat", "-L", f"--cached={how}", "-c%z", name],
                    check=True,
                    capture_output=True,
                    pass_fds=[unnamed],
                ).stdout
                for how in ("default", "never")
            )
            self.assertEqual(known, asked, name)
        os.close(unnamed)

    def test_xattrs_of_what_was_removed(self):
        os.mkdir("directory")
        os.close(os.open("file", os.O_CREAT, 0o666))
        for name, remove in ("directory", os.rmdir), ("file", os.unlink):
            fd = os.open(name, os.O_RDONLY)
            remove(name)
            os.setxattr(fd, "user.name", b"value")
            self.assertEqual(os.listxattr(fd), ["user.name"])
            self.assertEqual(os.getxattr(fd, "user.name"), b"value")
            os.removexattr(fd, "user.name")
            self.fails(errno.ENODATA, os.getxattr, fd, "user.name")
            os.close(fd)
        if os.geteuid() != 0:
            return
        os.mkfifo("fifo")
        fd = os.open("fifo", os.O_RDWR)
        os.unlink("fifo")
        os.setxattr(fd, "trusted.name", b"value")
        self.assertEqual(os.getxattr(fd, "trusted.name"), b"value")
        os.close(fd)

    def test_access_lists(self):
        if shutil.which("setfacl") is None:
            self.skipTest("no setfacl")
        os.close(os.open("file", os.O_CREAT, 0o666))
        os.chmod("file", 0o640)
        subprocess.run(["setfacl", "-m", "u:1234:rw", "file"], check=True)
        self.assertEqual(stat.S_IMODE(os.stat("file").st_mode), 0o660)
        os.chmod("file", 0o600)
        text = subprocess.run(["getfacl", "-cn", "file"], check=True, capture_output=True, text=True).stdout
        self.assertIn("mask::---", text)
        os.mkdir("directory")
        subprocess.run(["setfacl", "-d", "-m", "u:1234:rwx,g::r-x,o::---", "directory"], check=True)
        os.mkdir("directory/below")
        os.close(os.open("directory/file", os.O_CREAT, 0o666))
        text = subprocess.run(["getfacl", "-cn", "directory/file"], check=True, capture_output=True, text=True).stdout
        self.assertIn("user:1234:rwx\t", text)
        self.assertEqual(stat.S_IMODE(os.stat("directory/file").st_mode), 0o660)
        self.assertIn("system.posix_acl_default", os.listxattr("directory/below"))
