/** Commands that need root themselves, or a folder or journal that only root can use. */
const ROOT_COMMANDS = ["install", "uninstall", "upgrade", "backup", "restore", "logs"];

/** The folder of the program that a command file runs; null if it is another file. */
export const programIn = (text: string) =>
  / (\S+)\/server\/cli\/posthouse\.ts "\$@"$/m.exec(text)?.[1] ?? null;

/**
 * The `posthouse` command of an installation, a shell script: it loads the service's settings and drops root
 * privileges, so that the data folder keeps its owner.
 */
export function commandFile({
  node,
  program,
  settings,
  user,
}: {
  node: string;
  program: string;
  settings: string;
  user: string;
}): string {
  return `#!/bin/sh
# Written by \`posthouse install\`.
if [ ! -r ${settings} ]; then
  echo "posthouse: ${settings} can't be read: run this as root" >&2
  exit 1
fi
set -- ${node} --disable-warning=ExperimentalWarning --env-file=${settings} ${program}/server/cli/posthouse.ts "$@"
case "$5" in
  ${ROOT_COMMANDS.join("|")}) exec "$@" ;;
esac
[ "$(id -u)" = 0 ] || exec "$@"
# The user may have no access to the current folder.
cd ${program}
exec setpriv --reuid ${user} --regid ${user} --init-groups \\
  --inh-caps -all,+net_bind_service --ambient-caps -all,+net_bind_service -- "$@"
`;
}
