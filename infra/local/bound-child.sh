# Runs a program that ends when the standard input of this script ends: also when whoever started it is killed and can
# clean up nothing. Usage: sh bound-child.sh PROGRAM ARGUMENT...

# What it writes, such as the table, is for its owner alone.
umask 077

# A program in the background gets /dev/null for its input, so the input that is watched moves to another descriptor.
exec 3<&0

# The program does not inherit that descriptor: it would keep it open.
"$@" 3<&- &
child=$!

# Waits for the end of the input. The other side may be gone by then, and so may the program: neither is worth a message.
{
  read -r _ <&3
  kill "$child"
} 2>/dev/null &
watcher=$!

# A program that ends by itself ends the script, with its own code.
wait "$child"
code=$?

# The watcher would keep the output of the script open.
kill "$watcher" 2>/dev/null
exit "$code"
