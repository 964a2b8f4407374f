import { SERVICE } from "./install-paths.ts";

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
# The supervisor stops its processes in order, which takes up to 54 s (docs/operating.md, Stopping).
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
const isUnderHome = (folder: string) => /^\/(home|root|run\/user)(\/|$)/.test(folder);
