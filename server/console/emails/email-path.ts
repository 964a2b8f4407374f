import { z } from "zod";

export const NOT_FOUND = "Email not found";

export const EmailPath = z.object({ id: z.uuid() });

/** An idempotency key: repeating a request with the same `attempt` doesn't send a second email. */
export const AttemptQuery = z.object({ attempt: z.uuid().optional() });
