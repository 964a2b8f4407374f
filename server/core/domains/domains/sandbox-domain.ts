/**
 * The sandbox's domain. RFC 6761, 6.3 reserves it for this machine; since no DNS serves it, the appliance
 * answers for it.
 */
export const SANDBOX_DOMAIN = "posthouse.localhost";
