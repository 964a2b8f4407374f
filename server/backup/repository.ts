import { resolve } from "node:path";

/** Where backups are stored, in the form that restic expects. */
export type Repository = {
  /** As given by the operator, without credentials. For display, and to recognize the repository. */
  name: string;
  /** The value of restic's `--repo`. */
  location: string;
  /** Null for a remote repository. */
  folder: string | null;
  /** Host, port and user of a repository reached by SFTP. */
  sftp: { host: string; port: string; user: string } | null;
};

/** A destination that can't be used. The message says which forms are accepted. */
export class RepositoryError extends Error {
  override name = "RepositoryError";
}

/**
 * They become arguments of ssh, so they must not look like an option or contain what a shell or restic would split.
 */
const SSH_NAME = /^[A-Za-z0-9_[][A-Za-z0-9._:[\]-]*$/;

const FORMS =
  "must be a folder, sftp://user@host/path, s3://host/bucket/path or https://host/path (a restic REST server)";

/**
 * Reads the destination of backups.
 *
 * @throws RepositoryError
 */
export function readRepository(target: string): Repository {
  if (!/^[a-z0-9+]+:/i.test(target)) {
    if (!target) throw new RepositoryError(`The destination ${FORMS}`);
    const folder = resolve(target);
    return { name: folder, location: folder, folder, sftp: null };
  }
  const url = URL.canParse(target) ? new URL(target) : null;
  if (!url?.hostname || url.pathname.length < 2)
    throw new RepositoryError(`"${withoutPassword(target)}": the destination ${FORMS}`);
  return readRemote(url);
}

/** The same destination for a command that runs in another folder. The names of settings, such as `local`, stay as they are. */
export const absoluteTarget = (target: string) =>
  ["local", "off"].includes(target) || /^[a-z0-9+]+:/i.test(target) ? target : resolve(target);

function readRemote(url: URL): Repository {
  const { protocol, host, hostname, port, pathname } = url;
  const user = decodeURIComponent(url.username);
  const name = withoutPassword(url.href);
  switch (protocol) {
    case "sftp:": {
      if (![hostname, user || "root"].every((part) => SSH_NAME.test(part)))
        throw new RepositoryError(`"${name}": unexpected characters in the user or the host`);
      const at = `${user ? `${user}@` : ""}${host}`;
      // restic takes a path with one slash as relative to the home folder.
      const location = `sftp://${at}/${pathname}`;
      return { name, location, folder: null, sftp: { host: hostname, port: port || "22", user } };
    }
    case "s3:":
      return { name, location: `s3:https://${host}${pathname}`, folder: null, sftp: null };
    case "s3+http:":
      return { name, location: `s3:http://${host}${pathname}`, folder: null, sftp: null };
    case "http:":
    case "https:":
      return { name, location: `rest:${url.href}`, folder: null, sftp: null };
    default:
      throw new RepositoryError(`"${name}": the destination ${FORMS}`);
  }
}

const withoutPassword = (target: string) => target.replace(/(\/\/[^:/@]*):[^@/]*@/, "$1@");
