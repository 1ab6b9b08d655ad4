// The account that the local stack plays. AWS's documentation uses such numbers; no real account has this one.

export const accountId = "000000000000";
