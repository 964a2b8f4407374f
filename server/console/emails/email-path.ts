import { z } from "zod";

export const NOT_FOUND = "Email not found";

/** The path of one email. */
export const EmailPath = z.object({ id: z.uuid() });

/**
 * Names an attempt to send: one that is repeated, since its answer got lost or a button was pressed twice,
 * sends nothing a second time.
 */
export const AttemptQuery = z.object({ attempt: z.uuid().optional() });
