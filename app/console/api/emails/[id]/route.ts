import { getEmail } from "#server/console/emails/get-email.ts";
import { serve } from "#server/http/serve.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = serve(getEmail);
