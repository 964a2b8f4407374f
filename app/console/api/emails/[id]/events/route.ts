import { listEmailEvents } from "#server/console/emails/list-email-events.ts";
import { serve } from "#server/http/serve.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = serve(listEmailEvents);
