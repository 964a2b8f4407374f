import type { Section } from "#app/console/(pages)/help/guide.tsx";
import { PageLink } from "#app/console/(pages)/help/page-link.tsx";

export const units = (): Section[] => [
  {
    id: "what",
    title: "Do you need them?",
    body: (
      <p>
        Not if everybody may do the same: one unit is there from the beginning and holds all
        mailboxes. Make more under <PageLink to="units">Units</PageLink> when a department needs
        other rules, or admins of its own.
      </p>
    ),
  },
  {
    id: "inherit",
    title: "Taken over, or set here",
    body: (
      <p>
        A unit has what the one above it has, until you set something else in it. “Set here” says
        where that is so, and how many mailboxes it reaches. Choose “Inherited” to reset it. It
        holds at the next sign-in and the next message.
      </p>
    ),
  },
  {
    id: "move",
    title: "Move people and units",
    body: (
      <p>
        Choose mailboxes in <PageLink to="mailboxes">the list</PageLink> and move them; the new
        unit&rsquo;s policies hold at once, sizes stay. A unit that is moved takes all below it
        along. Only an empty unit can be deleted.
      </p>
    ),
  },
  {
    id: "admins",
    title: "Admins of a unit",
    body: (
      <p>
        A role can be limited to a unit: its people see and manage the mailboxes of that branch
        only. Roles are under <PageLink to="team/roles">Team</PageLink>.
      </p>
    ),
  },
];
