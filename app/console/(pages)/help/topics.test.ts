import { expect, test } from "vitest";

import { TOPIC_GROUPS, topics } from "./topics.ts";

test("every topic is in one group of the list", () => {
  const listed = TOPIC_GROUPS.flatMap(({ topics }) => topics);
  expect(listed.toSorted()).toEqual(Object.keys(topics).toSorted());
});
