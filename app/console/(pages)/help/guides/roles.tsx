import type { Section } from "#app/console/(pages)/help/guide.tsx";
import { PageLink } from "#app/console/(pages)/help/page-link.tsx";

export const roles = (): Section[] => [
  {
    id: "words",
    title: "Three words",
    body: (
      <dl>
        <dt>Owner</dt>
        <dd>May do everything in the company. There is always at least one.</dd>
        <dt>Role</dt>
        <dd>
          A set of privileges under a name of yours, such as “Help desk”. Admins can have several.
        </dd>
        <dt>Unit</dt>
        <dd>A part of the company, such as “Sales”. Mailboxes belong to one; units hold units.</dd>
      </dl>
    ),
  },
  {
    id: "limit",
    title: "A role for a part of the company",
    body: (
      <p>
        Limited to a unit, a role counts for the mailboxes of that unit and all below it, and only
        for what is about mailboxes: seeing, making, changing, suspending them, and resetting
        passwords. Everything else needs a role for the whole company.
      </p>
    ),
  },
  {
    id: "invite",
    title: "Invite somebody",
    body: (
      <p>
        Under <PageLink to="team">Team</PageLink>, with the roles they should have. Nobody can give
        away a privilege that they do not hold. A person’s page says what they may do, and which
        role gives it.
      </p>
    ),
  },
  {
    id: "keys",
    title: "Roles and API keys",
    body: (
      <p>
        A key with full access may do what its creator may at that moment. When they lose a
        privilege, the key loses it too; when they leave, the key is revoked. Let keys of programs
        be made by somebody who stays, or use keys with sending access.
      </p>
    ),
  },
];
