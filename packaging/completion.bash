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

# _betr_split TEXT: its words into the variable `words`, without quotes and backslashes, as the shell has them and not
# readline, which ends words at colons, too; the quote in which it ends into `quote`. Only the home directory is
# expanded.
_betr_split() {
  local text=$1 c i
  words=('')
  quote=''
  for ((i = 0; i < ${#text}; i++)); do
    c=${text:i:1}
    case $quote$c in
      \' | \") quote=$c ;;
      \'\' | \"\") quote='' ;;
      \\ | \"\\) words[-1]+=${text:i+1:1} && ((++i)) ;;
      [[:space:]]) [ -z "${words[-1]}" ] || words+=('') ;;
      *) words[-1]+=$c ;;
    esac
  done
  words=("${words[@]/#\~\//$HOME/}")
}

# The image in which `:/` is: that of the words, or that of the environment.
_betr_image() {
  local i image=${BETR_IMAGE-}
  for ((i = 1; i < ${#words[@]} - 1; i++)); do
    case ${words[i]} in
      -i | --image) image=${words[i + 1]} ;;
      --image=*) image=${words[i]#*=} ;;
      -i*) image=${words[i]#-i} ;;
    esac
  done
  printf '%s\n' "$image"
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

# _betr_offer_inside WORD TYPED: what begins so in the image that the word names. Readline replaces only what was typed
# behind the last colon that is not quoted.
_betr_offer_inside() {
  local word=$1 before=${1%"$2"} image=${1%%:/*} path paths
  image=${image:-$(_betr_image)}
  mapfile -t paths < <(_betr_inside "$image" "/${word#*:/}")
  compopt -o filenames 2>/dev/null || true
  # One directory: go on in it.
  if [ ${#paths[@]} = 1 ] && betrcp --list --stale-ok "$image:${paths[0]}/" >/dev/null 2>&1; then
    paths[0]+=/
    compopt -o nospace 2>/dev/null || true
  fi
  for path in "${paths[@]}"; do
    path=${word%%:/*}:$path
    path=${path#"$before"}
    # Readline quotes neither of the two in what is no file of the host, and the shell would run the name.
    [[ $path == *[\$\`]* ]] || COMPREPLY+=("$path")
  done
}

_betr() {
  local tool=$1 current=$2 words quote word previous help name
  COMPREPLY=()
  _betr_split "${COMP_LINE:0:COMP_POINT}"
  word=${words[-1]}
  previous=${words[-2]-}
  case $word in
    --*=*)
      previous=${word%%=*}
      word=${word#*=}
      ;;
  esac
  case $previous in
    --compress) mapfile -t COMPREPLY < <(compgen -W "none lz4 zstd" -- "$current") && return ;;
    -O | --features) mapfile -t COMPREPLY < <(compgen -W "list" -- "$current") && return ;;
  esac
  case ${tool##*/}:$word in
    *:-*)
      help=$("$tool" --help 2>/dev/null)
      for name in $(_betr_subcommands <<<"$help"); do
        case " ${words[*]:1} " in
          *" $name "*) help+=$'\n'$("$tool" "$name" --help 2>/dev/null) ;;
        esac
      done
      mapfile -t COMPREPLY < <(compgen -W "$(_betr_options <<<"$help")" -- "$current")
      return
      ;;
    betrcp:*:/*)
      _betr_offer_inside "$word" "$(_betr_split "$quote$current" && printf '%s' "${words[-1]}")"
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
