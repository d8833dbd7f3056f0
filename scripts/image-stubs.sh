#!/bin/sh
# Runs inside the image's build, with binutils: `image-stubs.sh <folder> <library>…` writes an empty library of the same
# name and symbols for each one, below the folder at the library's own path. Debian's ffmpeg links to these libraries,
# but Holdfast never uses them. A call of one would end that ffmpeg.
set -eu
folder=$1
shift
for name in "$@"; do
  path=$(find /usr/lib -name "$name" | head -n 1)
  if [ -z "$path" ]; then
    echo "image-stubs: /usr/lib has no $name. Name the library of this Debian in the Dockerfile." >&2
    exit 1
  fi
  path=$(realpath "$path")
  {
    echo '.section .rodata'
    # `A` are names of versions.
    nm --dynamic --defined-only --format=posix "$path" | awk '$2 != "A" { print ".globl " $1; print $1 ":" }'
    # ICU reads a header here, and does without the data if it is not the right one.
    echo '.zero 1024'
    echo '.section .note.GNU-stack,"",%progbits'
  } | as -o /tmp/stub.o -
  mkdir -p "$folder$(dirname "$path")"
  ld -shared -soname "$name" -o "$folder$path" /tmp/stub.o
done
rm /tmp/stub.o
