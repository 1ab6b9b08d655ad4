// The roles of the platform's own people. The stack's file names their addresses.
import * as z from "zod";

/** An administrator does everything that the platform may do; support reads a workspace's people, usage and state. */
export const platformRoles = ["platform_admin", "platform_support"] as const;
export type PlatformRole = (typeof platformRoles)[number];

export const platformRole = z
  .enum(platformRoles)
  .meta({ id: "PlatformRole", description: "Role of the platform's staff" });
