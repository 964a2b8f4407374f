import { expect, test } from "vitest";

import { entrySubject } from "./audit-list.tsx";

test.each([
  [
    { mailbox: "ann@x.test", name: "Phone" },
    {
      name: "ann@x.test",
      page: { href: "/console/mailboxes/ann%40x.test", needs: "view_users" },
    },
  ],
  [
    { member: "ann@x.test", group: "team@x.test" },
    { name: "team@x.test", page: { href: "/console/groups/team%40x.test", needs: "view_groups" } },
  ],
  [{ id: "1", name: "x.test" }, { name: "x.test" }],
  [{ count: 3 }, null],
])("%j is about %j", (details, subject) => expect(entrySubject(details)).toEqual(subject));
