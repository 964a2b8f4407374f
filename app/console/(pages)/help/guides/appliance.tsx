import type { Section } from "#app/console/(pages)/help/guide.tsx";
import { Sample } from "#app/console/(pages)/help/sample.tsx";

const copy = `# stop Posthouse first, then
tar --create --zstd --file posthouse-$(date +%F).tar.zst data`;

const back = `mv data data.before
tar --extract --file posthouse-2026-01-31.tar.zst
npm start`;

export const backup = (): Section[] => [
  {
    id: "what",
    title: "What to keep",
    body: (
      <>
        <p>
          The data folder (<code>POSTHOUSE_DATA</code>, unless set <code>./data</code>) holds
          everything: the database, all mail, and <code>keys/</code>. Without the keys nothing that
          is sealed in the database can be opened: DKIM keys, signing secrets, second factors.
        </p>
        <p>
          With a Postgres of your own (<code>DATABASE_URL</code>), back that up as well, at the same
          moment.
        </p>
      </>
    ),
  },
  {
    id: "how",
    title: "How",
    body: (
      <>
        <p>While the appliance is stopped, copy the folder as a whole:</p>
        <Sample what="Command to back up" code={copy} />
        <p>Keep copies on another machine, and try one of them now and then.</p>
      </>
    ),
  },
  {
    id: "restore",
    title: "Restore",
    body: (
      <>
        <p>On the same or a newer version, with the same settings:</p>
        <Sample what="Commands to restore" code={back} />
        <p>
          Then <code>npx posthouse doctor</code> looks at every part and sends an email through all
          of them.
        </p>
      </>
    ),
  },
];

const newer = `# stop Posthouse and back up, then
git pull
npm start`;

export const upgrade = (): Section[] => [
  {
    id: "how",
    title: "How",
    body: (
      <>
        <Sample what="Commands to upgrade" code={newer} />
        <p>
          The start brings the database to the new version by itself. People who have the console
          open are asked to reload where a page has changed.
        </p>
      </>
    ),
  },
  {
    id: "docker",
    title: "With Docker",
    body: (
      <Sample
        what="Command to upgrade with Docker"
        code="docker compose -f docker/compose.yaml up -d --build"
      />
    ),
  },
  {
    id: "back",
    title: "And back",
    body: (
      <p>
        An older version does not know a newer database. To go back, restore the copy that you made
        before.
      </p>
    ),
  },
];
