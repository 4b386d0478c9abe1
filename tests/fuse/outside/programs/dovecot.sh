#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Dovecot with Maildir: deliveries by LMTP from several at once while IMAP clients fetch, move, flag and expunge; every
# message is in one place, whole. The same after the mail server and the mount were killed.
source "$(dirname "$0")/program.sh"
set -euo pipefail
needs dovecot dovecot-imapd
needs /usr/lib/dovecot/lmtp dovecot-lmtpd

mkdir -p "$work/dovecot" "$mnt/mail"
chown 5000:5000 "$mnt/mail"
cat >"$work/dovecot.conf" <<EOF
base_dir = $work/dovecot
state_dir = $work/dovecot
log_path = $work/dovecot.log
protocols = imap lmtp
ssl = no
disable_plaintext_auth = no
default_internal_user = dovecot
default_login_user = dovenull
first_valid_uid = 5000
mail_location = maildir:$mnt/mail/%u
mail_uid = 5000
mail_gid = 5000
mailbox_list_index = yes
passdb {
  driver = static
  args = password=secret
}
userdb {
  driver = static
  args = uid=5000 gid=5000 home=$mnt/mail/%u allow_all_users=yes
}
service imap-login {
  chroot =
  inet_listener imap {
    address = 127.0.0.1
    port = 0
  }
  unix_listener imap {
    mode = 0666
  }
}
service lmtp {
  unix_listener lmtp {
    mode = 0666
  }
}
service anvil {
  chroot =
}
EOF

start() {
  dovecot -c "$work/dovecot.conf" || fail "dovecot: $(cat "$work/dovecot.log")"
  for _ in $(seq 100); do
    [ ! -S "$work/dovecot/imap" ] || return 0
    sleep 0.1
  done
  fail "dovecot: $(cat "$work/dovecot.log")"
}
dead() {
  local master
  master=$(cat "$work/dovecot/master.pid")
  kill -9 "$master" $(pgrep -P "$master")
  while pgrep -f "$work/dovecot.conf" >/dev/null; do sleep 0.1; done
  rm -f "$work/dovecot/master.pid"
}
mail() { python3 "$(dirname "$0")/dovecot.py" "$work/dovecot" "$@" || fail "$(cat "$work/dovecot.log")"; }

start
mail "$work/state" deliver 4 150
mail "$work/state" check
sync "$mnt/mail" # flags are names of files, which nobody makes durable
dead
kill_mount
mount_again
start
mail "$work/state" check
mail "$work/state" deliver 2 50
mail "$work/state" check
doveadm -c "$work/dovecot.conf" force-resync -u anna '*'
mail "$work/state" check
doveadm -c "$work/dovecot.conf" stop
