import type { GuideSection } from "#app/console/(pages)/help/guide.tsx";
import { GuideSample } from "#app/console/(pages)/help/sample.tsx";

const copy = `# stop Posthouse first, then
tar --create --zstd --file posthouse-$(date +%F).tar.zst data`;

const back = `mv data data.before
tar --extract --file posthouse-2026-01-31.tar.zst
npm start`;

export const backup = (): GuideSection[] => [
  {
    id: "what",
    title: "What to back up",
    body: (
      <>
        <p>
          The data folder (<code>POSTHOUSE_DATA</code>, by default <code>./data</code>) contains
          everything: the database, all mail, and <code>keys/</code>. Without the keys, encrypted
          values in the database can’t be read: DKIM keys, signing secrets, and second factors.
        </p>
        <p>
          If you use an external Postgres database (<code>DATABASE_URL</code>), back it up at the
          same time.
        </p>
      </>
    ),
  },
  {
    id: "how",
    title: "How",
    body: (
      <>
        <p>Stop Posthouse, then archive the whole folder:</p>
        <GuideSample what="Command to back up" code={copy} />
        <p>Store backups on another machine, and test restoring them regularly.</p>
      </>
    ),
  },
  {
    id: "restore",
    title: "Restore",
    body: (
      <>
        <p>Restore with the same or a newer version of Posthouse and the same settings:</p>
        <GuideSample what="Commands to restore" code={back} />
        <p>
          Then run <code>npx posthouse doctor</code>. It checks every component and sends a test
          email through all of them.
        </p>
      </>
    ),
  },
];

const newer = `# stop Posthouse and back up, then
git pull
npm start`;

export const upgrade = (): GuideSection[] => [
  {
    id: "how",
    title: "How",
    body: (
      <>
        <GuideSample what="Commands to upgrade" code={newer} />
        <p>
          Posthouse migrates the database when it starts. Admins with an open console are asked to
          reload pages that have changed.
        </p>
      </>
    ),
  },
  {
    id: "docker",
    title: "With Docker",
    body: (
      <GuideSample
        what="Command to upgrade with Docker"
        code="docker compose -f docker/compose.yaml up -d --build"
      />
    ),
  },
  {
    id: "back",
    title: "Downgrade",
    body: (
      <p>
        Older versions can’t use a newer database. To go back, restore the backup you made before
        the upgrade.
      </p>
    ),
  },
];
