import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Starts and stops what a unit says, as systemd would as far as tests need it: user, environment file,
 * working folder, ambient capabilities. Written for machines where systemd isn't process 1.
 */
const SCRIPT = `#!/bin/bash
set -eu
root=$FAKE_SYSTEMD_ROOT
unit=$root/etc/systemd/system/posthouse.service
pid_file=$root/run/posthouse.pid
echo "$*" >> "$root/run/systemctl.log"
value() { sed -n "s|^$1=||p" "$unit"; }
stop() {
  [ -e "$pid_file" ] || return 0
  pid=$(cat "$pid_file")
  kill -TERM "$pid" 2>/dev/null || true
  for _ in $(seq 600); do [ -d "/proc/$pid" ] || break; sleep 0.1; done
  rm "$pid_file"
}
start() {
  umask "$(value UMask)"
  cd "$(value WorkingDirectory)"
  mapfile -t settings < <(grep -v '^#' "$(value EnvironmentFile)")
  capability=$(value AmbientCapabilities | tr A-Z a-z | sed s/^cap_//)
  setsid setpriv --reuid "$(value User)" --regid "$(value Group)" --init-groups --no-new-privs \\
    --bounding-set "-all,+$capability" --inh-caps "-all,+$capability" --ambient-caps "-all,+$capability" -- \\
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin "\${settings[@]}" $(value ExecStart) \\
    >> "$root/run/service.log" 2>&1 < /dev/null &
  echo $! > "$pid_file"
}
case "$1" in
  daemon-reload|enable|reset-failed) ;;
  restart) stop; start ;;
  is-active) exit 3 ;;
  disable) case "$*" in *posthouse*) stop ;; esac ;;
  *) echo "unexpected: $*" >&2; exit 1 ;;
esac
`;

/** A stand-in for systemctl. */
export type Systemctl = {
  calls(): string[];
  /** PID of the running service; null if it was stopped. */
  pid(): number | null;
  /** The output of the service. */
  log(): string;
};

/**
 * @param root install root. Callers must put `<root>/fake` first in PATH and set FAKE_SYSTEMD_ROOT to `root`
 */
export function aSystemctl(root: string): Systemctl {
  const file = join(root, "fake/systemctl");
  for (const folder of ["fake", "run/systemd/system"])
    mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(file, SCRIPT);
  chmodSync(file, 0o755);
  const read = (name: string) =>
    existsSync(join(root, name)) ? readFileSync(join(root, name), "utf8") : "";
  return {
    calls: () => read("run/systemctl.log").trim().split("\n"),
    pid: () => Number(read("run/posthouse.pid")) || null,
    log: () => read("run/service.log"),
  };
}
