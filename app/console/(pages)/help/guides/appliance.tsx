import type { GuideSection } from "#app/console/(pages)/help/guide.tsx";
import { GuideSample } from "#app/console/(pages)/help/sample.tsx";

const nightly = `npx posthouse settings set backup_to sftp://user@host/path`;

const now = `npx posthouse backup`;

const everything = `npx posthouse restore --list --from sftp://user@host/path
POSTHOUSE_BACKUP_KEY=… npx posthouse restore --replace --from sftp://user@host/path`;

const mailbox = `npx posthouse restore --mailbox ann@example.com --from sftp://user@host/path`;

export const backup = (): GuideSection[] => [
  {
    id: "how",
    title: "Back up",
    body: (
      <>
        <p>
          Posthouse backs itself up every night while it runs, and verifies each backup by restoring
          it. By default, backups stay on the same disk. Set a destination on another machine: SFTP,
          S3, or a mounted folder. Then changes are stored every five minutes, too.
        </p>
        <GuideSample what="Command to set the destination" code={nightly} />
        <p>To back up right now:</p>
        <GuideSample what="Command to back up" code={now} />
        <p>
          The first backup prints a recovery key. Keep it outside this server: without it, the
          backups can’t be read.
        </p>
      </>
    ),
  },
  {
    id: "external",
    title: "External database",
    body: (
      <p>
        If you use an external Postgres database (<code>DATABASE_URL</code>), back it up with its
        own tools first, then the data folder (<code>POSTHOUSE_DATA</code>). The folder contains all
        mail and <code>keys/</code>. Without the keys, encrypted values in the database can’t be
        read: DKIM keys, signing secrets, and second factors.
      </p>
    ),
  },
  {
    id: "restore",
    title: "Restore",
    body: (
      <>
        <p>Restore with the same or a newer version of Posthouse and the same settings:</p>
        <GuideSample what="Commands to restore" code={everything} />
        <p>
          If Posthouse is installed as a service, the command stops it and starts it again.
          Otherwise, stop Posthouse first and start it afterwards. The previous data is moved aside.
          Then run <code>npx posthouse doctor</code>: it checks every component and sends a test
          email through all of them.
        </p>
        <p>To restore one mailbox while Posthouse runs:</p>
        <GuideSample what="Command to restore a mailbox" code={mailbox} />
        <p>The messages are added below a folder named Restored, with the backup’s day.</p>
      </>
    ),
  },
];

const newer = `git clone --branch v0.2.0 https://github.com/OWNER/posthouse posthouse-0.2.0
cd posthouse-0.2.0
npx posthouse upgrade`;

export const upgrade = (): GuideSection[] => [
  {
    id: "how",
    title: "How",
    body: (
      <>
        <p>Get the new version into a folder of its own, and run this as root:</p>
        <GuideSample what="Commands to upgrade" code={newer} />
        <p>
          Posthouse makes a backup, and then restarts the service with the new version. If that
          doesn’t start, the previous version and its data come back. Admins with an open console
          are asked to reload pages that have changed.
        </p>
      </>
    ),
  },
  {
    id: "docker",
    title: "With Docker",
    body: (
      <>
        <p>
          Copy <code>upgrade.sh</code> of the release next to <code>compose.yaml</code>, and run it
          with the new image:
        </p>
        <GuideSample
          what="Command to upgrade with Docker"
          code="sh upgrade.sh ghcr.io/OWNER/posthouse:0.2.0"
        />
      </>
    ),
  },
  {
    id: "back",
    title: "Downgrade",
    body: (
      <p>
        Older versions can’t use a newer database. To go back after an upgrade that succeeded,
        restore the backup it made, with the previous version.
      </p>
    ),
  },
];
