import { v5 as uuidv5 } from "uuid";

/** The id of an attachment in the API: derived from its email and its position there, from 0. */
export const attachmentId = (emailId: string, position: number): string =>
  uuidv5(String(position), emailId);
