import type { GuideSection } from "#app/console/(pages)/help/guide.tsx";
import { ConsoleLink } from "#app/console/(pages)/help/console-link.tsx";

export const audit = (): GuideSection[] => [
  {
    id: "what",
    title: "What the audit log records",
    body: (
      <p>
        The audit log records every change in your company and every sign-in: who did it, when, and
        the values before and after. It covers changes by admins, API keys, mailbox users,
        operators, and Posthouse itself. It never contains passwords, keys, or the content of
        emails.
      </p>
    ),
  },
  {
    id: "find",
    title: "Find an entry",
    body: (
      <ul>
        <li>Search for a name, an address, or any detail of a change.</li>
        <li>Open an entry to filter the log by the admin who made the change.</li>
        <li>The page URL contains your filters. Share it with another admin.</li>
      </ul>
    ),
  },
  {
    id: "keep",
    title: "Retention and access",
    body: (
      <p>
        Entries can’t be changed or deleted in the console. Posthouse deletes them only if the
        operator limits how long they are kept, and replaces the address of someone outside your
        company who has asked to be erased. To read the log, an admin needs the View audit
        privilege. To give an auditor read access only, create a{" "}
        <ConsoleLink to="team/roles">role</ConsoleLink> with just this privilege. Use Export to
        download the filtered entries as CSV or JSON.
      </p>
    ),
  },
  {
    id: "verify",
    title: "Verify that nothing was changed",
    body: (
      <p>
        Every minute, Posthouse seals new entries with a key that isn’t in the database. If someone
        changes, inserts, or deletes a sealed entry in the database, verification detects it. To
        have the audit log of your company verified, ask the operator to run{" "}
        <code>posthouse audit verify</code>.
      </p>
    ),
  },
];
