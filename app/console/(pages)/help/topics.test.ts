import { expect, test } from "vitest";

import { TOPIC_GROUPS, topics } from "./topics.ts";

test("every topic belongs to exactly one group", () => {
  const listed = TOPIC_GROUPS.flatMap(({ topics }) => topics);
  expect(listed.toSorted()).toEqual(Object.keys(topics).toSorted());
});
