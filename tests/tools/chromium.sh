#!/bin/sh
# Prints the path of a Chromium to test with, and installs one where there is none.
#
# $ICE_EXPLORER_CHROMIUM wins, then what is on PATH, then Debian's package where apt can install
# it. On a person's machine Playwright's own download comes last; continuous integration never
# reaches for it, because a browser fetched at test time is one more thing that can be missing.
# Usage: chromium.sh PYTHON, where PYTHON has the playwright package.
set -eu
python=$1

on_path() {
  for name in chromium chromium-browser google-chrome google-chrome-stable; do
    command -v "$name" && return 0
  done
  return 1
}

if [ -n "${ICE_EXPLORER_CHROMIUM:-}" ]; then
  if [ ! -x "$ICE_EXPLORER_CHROMIUM" ]; then
    echo "ICE_EXPLORER_CHROMIUM must be a browser; got '$ICE_EXPLORER_CHROMIUM', which cannot be run." >&2
    exit 1
  fi
  echo "$ICE_EXPLORER_CHROMIUM"
elif on_path; then
  :
elif command -v apt-get >/dev/null && [ "$(id -u)" = 0 ] && {
  # Everything apt says goes to standard error: standard output is the path alone.
  apt-get update >&2
  DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends chromium fonts-dejavu-core >&2
} && on_path; then
  :
elif [ -z "${CI:-}" ]; then
  "$python" -m playwright install chromium >&2
  "$python" -c '
from playwright.sync_api import sync_playwright
with sync_playwright() as playwright:
    print(playwright.chromium.executable_path)
'
else
  echo "The browser tests need Chromium: install it, or set ICE_EXPLORER_CHROMIUM to its path." >&2
  exit 1
fi
