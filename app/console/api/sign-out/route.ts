import { signOut } from "#server/console/sessions/sign-out.ts";
import { serve } from "#server/http/serve.ts";

export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = serve(signOut);
