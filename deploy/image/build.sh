#!/bin/sh
# Builds the content of a container image: deploy/image/build.sh gateway|sandbox FOLDER
#
# The Dockerfile runs this script, and a test runs it without a container engine. `npm ci` must have run.
# PACKAGES names a folder with built packages. Default: this script runs `npm run build`.
set -eu

name=$1
mkdir -p "$2"
target=$(cd "$2" && pwd)
cd "$(dirname "$0")/../.."

# Installs the locked production dependencies of a workspace into the folder.
install_dependencies() {
  for file in package.json package-lock.json */package.json deploy/image/package.json; do
    mkdir -p "$target/$(dirname "$file")"
    cp "$file" "$target/$file"
  done
  (cd "$target" && npm ci --workspace "$1" --omit=dev --ignore-scripts --prefer-offline --no-audit --no-fund --loglevel=error)
  (cd "$target" && rm -rf package-lock.json ./*/package.json deploy)
  echo '{"private":true,"type":"module"}' >"$target/package.json"
}

# Replaces the links to workspaces by built packages.
copy_packages() {
  rm -rf "$target/node_modules/connect-rest-image"
  for package in codec runtime authorization gateway; do
    copy="$target/node_modules/connect-rest-$package"
    rm "$copy"
    mkdir "$copy"
    (cd "$1/$package" && cp -R package.json LICENSE src "$copy")
    [ ! -d "$1/$package/bin" ] || cp -R "$1/$package/bin" "$copy"
  done
}

# Deletes files that only compilers and debuggers read.
prune() {
  find "$target" -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.cts' -o -name '*.d.mts' -o -name '*.md' \) -delete
  find "$target" -type f -name '*.test.*' -delete
  rm -rf "$target/node_modules/.bin"
  find "$target" -type d -empty -delete
}

case $name in
  gateway)
    if [ -z "${PACKAGES:-}" ]; then
      PACKAGES=$(mktemp -d)
      trap 'rm -rf "$PACKAGES"' EXIT
      npm run --silent build -- "$PACKAGES"
    fi
    install_dependencies deploy/image
    copy_packages "$PACKAGES"
    cp -R gen deploy/image/telemetry.js "$target"
    ;;
  sandbox)
    install_dependencies sandbox
    rm -f "$target/node_modules/connect-rest-sandbox"
    mkdir -p "$target/sandbox"
    cp -R sandbox/src "$target/sandbox"
    rm -rf "$target/sandbox/src/testing"
    ;;
  *)
    echo "unknown image $name; expected gateway or sandbox" >&2
    exit 2
    ;;
esac
cp deploy/image/health.js "$target"
prune
# The files belong to root, and the program runs as another user.
chmod -R u=rwX,go=rX "$target"
