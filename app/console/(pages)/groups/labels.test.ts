import { expect, test } from "vitest";

import { countMembers, groupStatus } from "./labels.ts";

test("a group without members is not shown as active", () => {
  expect(groupStatus({ active: true, memberCount: 1 }).label).toBe("Active");
  expect(groupStatus({ active: true, memberCount: 0 }).label).toBe("No members");
  expect(groupStatus({ active: false, memberCount: 0 }).label).toBe("Inactive");
});

test("countMembers uses the right plural", () => {
  expect(countMembers(0)).toBe("No members");
  expect(countMembers(1)).toBe("1 member");
  expect(countMembers(2)).toBe("2 members");
});
