import { join } from "node:path";

/** Where an installation puts its files. */
export type InstallPaths = {
  /** The program. Owned by root, so that the service can't change it. */
  program: string;
  /** The settings of the service, as environment variables. May hold passwords. */
  settings: string;
  data: string;
  unit: string;
  /** The `posthouse` command with the service's settings. */
  command: string;
  /** Exists if systemd runs (sd_booted(3)). */
  systemd: string;
};

export const SERVICE = "posthouse.service";

/** @param root a folder to install under instead of `/`, for tests */
export const installPaths = (root = "/"): InstallPaths => ({
  program: join(root, "opt/posthouse"),
  settings: join(root, "etc/posthouse/posthouse.env"),
  data: join(root, "var/lib/posthouse"),
  unit: join(root, "etc/systemd/system", SERVICE),
  command: join(root, "usr/local/bin/posthouse"),
  systemd: join(root, "run/systemd/system"),
});

/** Commands that need root themselves, or a folder or journal that only root can use. */
const ROOT_COMMANDS = "install|uninstall|upgrade|backup|restore|logs|webmail|calendar";

/** The folder of the program that a command file runs, also one of an earlier version; null if it is another file. */
export const programIn = (text: string) =>
  / (\S+)\/server\/cli\/(?:posthouse\.ts|bootstrap\/run-posthouse\.mjs) "\$@"$/m.exec(text)?.[1] ??
  null;

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
set -- ${node} --disable-warning=ExperimentalWarning --env-file=${settings} ${program}/server/cli/bootstrap/run-posthouse.mjs "$@"
case "$5" in
  ${ROOT_COMMANDS}) exec "$@" ;;
esac
[ "$(id -u)" = 0 ] || exec "$@"
# The user may have no access to the current folder.
cd ${program}
exec setpriv --reuid ${user} --regid ${user} --init-groups \\
  --inh-caps -all,+net_bind_service --ambient-caps -all,+net_bind_service -- "$@"
`;
}

/**
 * The systemd unit. The whole appliance runs as the service user; the only capability is to listen on ports
 * below 1024.
 */
export function unitFile({
  node,
  program,
  settings,
  dataFolder,
  user,
}: {
  node: string;
  program: string;
  settings: string;
  dataFolder: string;
  user: string;
}): string {
  return `# ${SERVICE}: written by \`posthouse install\`, which overwrites it. Put changes into a drop-in: systemctl edit posthouse
[Unit]
Description=Posthouse mail server
Documentation=file://${program}/README.md
Wants=network-online.target
After=network-online.target nss-lookup.target time-sync.target
# Keep trying after a crash, but not forever.
StartLimitIntervalSec=600
StartLimitBurst=10

[Service]
Type=exec
User=${user}
Group=${user}
EnvironmentFile=${settings}
WorkingDirectory=${program}
ExecStart=${node} --disable-warning=ExperimentalWarning ${program}/server/cli/posthouse.mjs start
Restart=always
RestartSec=2
# The supervisor stops its processes in order, which takes up to 54 s (docs/service.md).
KillMode=mixed
TimeoutStopSec=60
# The supervisor restarts a process that the kernel kills for lack of memory.
OOMPolicy=continue
LimitNOFILE=65536

AmbientCapabilities=CAP_NET_BIND_SERVICE
CapabilityBoundingSet=CAP_NET_BIND_SERVICE
NoNewPrivileges=yes
UMask=0077
# Besides the data folder, where disks for backups are mounted. Their files' owners and modes apply as usual.
ReadWritePaths=${dataFolder} -/mnt -/media -/srv
ProtectSystem=strict
ProtectHome=${[dataFolder, node].some(isUnderHome) ? "read-only" : "yes"}
PrivateTmp=yes
PrivateDevices=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM

[Install]
WantedBy=multi-user.target
`;
}

/** ProtectHome=yes would hide these folders from the service. */
export const isUnderHome = (folder: string) => /^\/(home|root|run\/user)(\/|$)/.test(folder);
