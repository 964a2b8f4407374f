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
