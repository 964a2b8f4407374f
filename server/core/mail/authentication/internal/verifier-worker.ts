import { parseInThread } from "#server/core/shared/parser-thread.ts";

import { verifySignatures } from "./verify-signatures.ts";

// An error counts as if it had taken too long: the sender tries again.
parseInThread((message, details: Parameters<typeof verifySignatures>[1]) =>
  verifySignatures(message, details).catch(() => null),
);
