import type { GuideSection } from "#app/console/(pages)/help/guide.tsx";
import { ConsoleLink } from "#app/console/(pages)/help/console-link.tsx";

export const roles = (): GuideSection[] => [
  {
    id: "words",
    title: "Owners, roles, and units",
    body: (
      <dl>
        <dt>Owner</dt>
        <dd>Has every privilege in the company. There is always at least one owner.</dd>
        <dt>Role</dt>
        <dd>A named set of privileges, such as “Help desk”. Admins can have several roles.</dd>
        <dt>Unit</dt>
        <dd>
          A part of the company, such as “Sales”. Every mailbox belongs to a unit, and units can
          contain other units.
        </dd>
      </dl>
    ),
  },
  {
    id: "limit",
    title: "Limit a role to a unit",
    body: (
      <p>
        A role limited to a unit applies to the mailboxes in that unit and in the units below it. It
        can grant only privileges about mailboxes: view, create, update, and suspend mailboxes, and
        reset passwords. All other privileges require a role for the whole company.
      </p>
    ),
  },
  {
    id: "invite",
    title: "Invite an admin",
    body: (
      <p>
        Invite admins under <ConsoleLink to="team">Team</ConsoleLink> and choose their roles. You
        can grant only privileges that you have yourself. An admin’s page lists their privileges and
        the roles that grant them.
      </p>
    ),
  },
  {
    id: "keys",
    title: "Roles and API keys",
    body: (
      <p>
        An API key with full access has the current privileges of the admin who created it. If the
        admin loses a privilege, the key loses it too. If the admin is removed, the key is revoked.
        For production, use keys with sending access, or keys created by an admin who stays.
      </p>
    ),
  },
];
