#!/bin/sh
# Builds the file system of the image: Node, the libraries that it needs, and the packed package. Nothing else.
# Usage: release/image.sh FOLDER TARBALL
set -eu
root=$1 tarball=$2
node=$(command -v node)

mkdir -p "$root/usr/bin" "$root/app" "$root/data" "$root/etc" "$root/tmp"
cp -L "$node" "$root/usr/bin/node"
ldd "$node" | grep -o '/[^ ]*' | while read -r library; do
  mkdir -p "$root$(dirname "$library")"
  cp -L "$library" "$root$library"
done
tar -xzf "$tarball" -C "$root/app" --strip-components=1
echo 'sandbox:x:65532:65532::/data:/nonexistent' > "$root/etc/passwd"
echo 'hosts: files dns' > "$root/etc/nsswitch.conf"
# The compiled code that a first start stores: the image's user may not write it.
"$node" "$root/app/bin/pix-sandbox.js" --version
chown 65532:65532 "$root/data"
chmod 1777 "$root/tmp"
