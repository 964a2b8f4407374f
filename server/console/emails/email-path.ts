import { z } from "zod";

export const NOT_FOUND = "Email not found";

export const EmailPath = z.object({ id: z.uuid() });

export const NO_ATTACHMENT = "Attachment not found";

/** `position` is the attachment's zero-based position in its email. */
export const AttachmentPath = EmailPath.extend({
  position: z
    .string()
    .regex(/^\d{1,3}$/)
    .transform(Number),
});

/** An idempotency key: repeating a request with the same `attempt` doesn't send a second email. */
export const AttemptQuery = z.object({ attempt: z.uuid().optional() });
