#!/bin/sh
# Installs what the program needs: GL libraries (apt, only when missing), uv (pip, only when missing), and .venv from uv.lock.
# Arguments go to `uv sync`, e.g. `--group dev`. Run it through `make setup`, `make demo` or `make test`.
set -eu
PYTHON="${PYTHON:-python3.11}"
command -v "$PYTHON" >/dev/null 2>&1 || PYTHON=python3

"$PYTHON" -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' || {
    echo "setup: Python 3.11 is needed; $PYTHON is $("$PYTHON" --version 2>&1). Set PYTHON=<path to python3.11>." >&2
    exit 1
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; elif command -v sudo >/dev/null 2>&1; then sudo "$@"; else
        echo "setup: '$*' needs root and there is no sudo; install libosmesa6 libegl1 libgl1 yourself." >&2
        exit 1
    fi
}

missing=""
for library in libOSMesa.so.8:libosmesa6 libEGL.so.1:libegl1 libGL.so.1:libgl1; do
    ldconfig -p | grep -q "${library%%:*}" || missing="$missing ${library##*:}"
done
if [ -n "$missing" ]; then
    as_root apt-get update -qq
    # shellcheck disable=SC2086 -- a list of package names
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
fi

if command -v uv >/dev/null 2>&1; then UV=uv; else
    "$PYTHON" -c 'import uv' 2>/dev/null || "$PYTHON" -m pip install --quiet uv 2>/dev/null ||
        "$PYTHON" -m pip install --quiet --break-system-packages uv
    UV="$PYTHON -m uv"
fi
$UV sync --frozen --python "$PYTHON" "$@"
