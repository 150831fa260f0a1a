#!/bin/sh
# Writes random secrets for compose.yaml into deploy/compose/secrets. Keeps existing secrets.
set -eu

folder=${1:-$(dirname "$0")/secrets}
# Only the owner can enter the folder. The files are readable, because containers run as other users.
mkdir -p "$folder"
chmod 700 "$folder"
cd "$folder"

write() {
  [ -e "$1" ] || cat >"$1"
  chmod 444 "$1"
}

random() {
  head -c 32 /dev/urandom | od -An -v -tx1 | tr -d ' \n'
}

for name in bus-key client-secret grafana-password postgres-password redis-password resume-key sign-in-key; do
  random | write "$name"
done
echo "postgres://gateway:$(cat postgres-password)@postgres/gateway" | write store-url
printf 'requirepass %s\nsave ""\n' "$(cat redis-password)" | write redis-conf
