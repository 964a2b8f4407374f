import type { GuideSection } from "#app/console/(pages)/help/guide.tsx";
import { ConsoleLink } from "#app/console/(pages)/help/console-link.tsx";

export const units = (): GuideSection[] => [
  {
    id: "what",
    title: "When to use units",
    body: (
      <p>
        Every company starts with one unit that contains all mailboxes. Create more under{" "}
        <ConsoleLink to="units">Units</ConsoleLink> when a department needs its own policies or
        admins.
      </p>
    ),
  },
  {
    id: "inherit",
    title: "Inherited policies",
    body: (
      <p>
        A unit inherits its policies from the unit above it until you change them. The policies page
        marks those that are set in the unit and shows how many mailboxes they affect. Changes apply
        to the next sign-in and the next message.
      </p>
    ),
  },
  {
    id: "move",
    title: "Move mailboxes and units",
    body: (
      <p>
        Select mailboxes in <ConsoleLink to="mailboxes">the list</ConsoleLink> and move them. The
        new unit’s policies apply immediately, and storage limits don’t change. Moving a unit also
        moves the units below it. You can delete only empty units.
      </p>
    ),
  },
  {
    id: "admins",
    title: "Admins of a unit",
    body: (
      <p>
        Limit a role to a unit to let its admins see and manage only the mailboxes in that unit and
        the units below it. Manage roles under <ConsoleLink to="team/roles">Team</ConsoleLink>.
      </p>
    ),
  },
];
