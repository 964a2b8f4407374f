import { expect, test } from "vitest";

import { attachmentProblem, FILES_BYTES_MAX, FILES_MAX } from "./read-files.ts";

const filesOf = (count: number, size: number) => Array.from({ length: count }, () => ({ size }));

test("names the limit that the attachments exceed", () => {
  expect(attachmentProblem([])).toBeNull();
  expect(attachmentProblem(filesOf(FILES_MAX, FILES_BYTES_MAX / FILES_MAX))).toBeNull();
  expect(attachmentProblem(filesOf(FILES_MAX + 1, 1))).toMatch(/at most 20 attachments/);
  expect(attachmentProblem(filesOf(1, FILES_BYTES_MAX + 1))).toMatch(/at most 20 MB in total/);
});
