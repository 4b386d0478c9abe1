# SPDX-License-Identifier: Apache-2.0
# Completion of the tools' command lines in bash: options as --help tells them, files of the host, and names inside
# an image behind `:/` and `IMAGE:/`.
# shellcheck shell=bash

# The options that a help on stdin tells of.
_betr_options() {
  sed -nE 's/^  (-[^ ]+).*/\1/p' | tr , '\n' | grep -- '^-'
}

# The first words of the lines below "Subcommands:" in a help on stdin.
_betr_subcommands() {
  sed -nE '/^Subcommands:/,/^$/s/^  ([a-z]+) .*/\1/p'
}

# The image in which `:/` is: that of the words, or that of the environment.
_betr_image() {
  local i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      -i | --image)
        echo "${COMP_WORDS[i + 1]}"
        return
        ;;
    esac
  done
  echo "${BETR_IMAGE-}"
}

# _betr_inside IMAGE PATH: names in the image that begin so, without a lock, as of its last checkpoint.
_betr_inside() {
  local image=$1 directory=${2%/*}/ start=${2##*/} name
  [ -e "$image" ] || return
  betrcp --list --stale-ok "$image:$directory" 2>/dev/null | while IFS= read -r name; do
    case $name in
      "$start"*) printf '%s%s\n' "$directory" "$name" ;;
    esac
  done
}

_betr() {
  local tool=$1 current=$2 previous=$3 word image name i
  COMPREPLY=()
  # As it was typed, as a colon ends a word for readline; without the backslashes in front of spaces and others.
  word=${COMP_LINE:0:COMP_POINT}
  word=${word//\\ /$'\n'}
  word=${word##* }
  word=${word//$'\n'/ }
  word=${word//\\/}
  case $previous in
    --compress) mapfile -t COMPREPLY < <(compgen -W "none lz4 zstd" -- "$current") && return ;;
    -O | --features) mapfile -t COMPREPLY < <(compgen -W "list" -- "$current") && return ;;
  esac
  case ${tool##*/}:$word in
    *:-*)
      local help
      help=$("$tool" --help 2>/dev/null)
      for name in $(_betr_subcommands <<<"$help"); do
        for ((i = 1; i < COMP_CWORD; i++)); do
          [ "${COMP_WORDS[i]}" = "$name" ] && help+=$'\n'$("$tool" "$name" --help 2>/dev/null)
        done
      done
      mapfile -t COMPREPLY < <(compgen -W "$(_betr_options <<<"$help")" -- "$current")
      return
      ;;
    betrcp:*:/*)
      image=${word%%:/*}
      while IFS= read -r name; do
        COMPREPLY+=("$name")
      done < <(_betr_inside "${image:-$(_betr_image)}" "/${word#*:/}")
      compopt -o filenames 2>/dev/null || true
      # One directory: go on in it.
      if [ ${#COMPREPLY[@]} = 1 ] &&
        betrcp --list --stale-ok "${image:-$(_betr_image)}:${COMPREPLY[0]}/" >/dev/null 2>&1; then
        COMPREPLY[0]+=/
        compopt -o nospace 2>/dev/null || true
      fi
      return
      ;;
    betrdump:*)
      mapfile -t COMPREPLY < <(compgen -W "$("$tool" --help 2>/dev/null | _betr_subcommands)" -- "$current")
      ;;
  esac
  mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$current")
  compopt -o filenames 2>/dev/null || true
}

complete -F _betr betr-ace betr-torture betrcp betrdump betrreplay fsck.betr mkfs.betr mount.betr resize.betr \
  tune.betr umount.betr
