"""A first day by Authlib: the code flow with PKCE, an ID token that is checked, and an API that is asked through its session."""

import os

# A laptop has no TLS.
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

import httpx
from authlib.common.security import generate_token
from authlib.integrations.base_client.errors import OAuthError
from authlib.integrations.httpx_client import OAuth2Client
from authlib.oidc.core import CodeIDToken
from joserfc import jwt
from joserfc.jwk import KeySet

API = os.environ["ARCHWAY_API"]
NAME = os.environ["ARCHWAY_CLIENT"]

platform = httpx.get(f"{API}/.well-known/archway.json").json()
console = platform["clients"]["console"]
metadata = httpx.get(platform["openid_configuration_url"]).json()


def sign_in(email: str) -> OAuth2Client:
    session = OAuth2Client(
        console["client_id"],
        scope=" ".join(console["scopes"]),
        redirect_uri=console["redirect_uris"][0],
        token_endpoint=metadata["token_endpoint"],
        token_endpoint_auth_method="none",
        code_challenge_method="S256",
        timeout=60,
    )
    verifier, nonce = generate_token(48), generate_token(20)
    address, state = session.create_authorization_url(
        metadata["authorization_endpoint"], code_verifier=verifier, nonce=nonce
    )
    asked = httpx.get(os.environ["ARCHWAY_BROWSER"], params={"email": email, "address": address}, timeout=60)
    token = session.fetch_token(authorization_response=asked.text, state=state, code_verifier=verifier)

    keys = KeySet.import_key_set(httpx.get(metadata["jwks_uri"]).json())
    decoded = jwt.decode(token["id_token"], keys, algorithms=metadata["id_token_signing_alg_values_supported"])
    expected = {"iss": {"essential": True, "values": [platform["issuer"]]}}
    params = {"nonce": nonce, "client_id": console["client_id"], "access_token": token["access_token"]}
    claims = CodeIDToken(decoded.claims, decoded.header, expected, params)
    claims.validate()
    assert claims["email"] == email, claims
    return session


def ask(session: OAuth2Client, method: str, path: str, status: int, body: dict | None = None) -> dict:
    answer = session.request(method, f"{API}{path}", json=body)
    assert answer.status_code == status, (path, answer.status_code, answer.text)
    return answer.json() if answer.content else {}


domain = f"{NAME.lower()}.example"
owner = sign_in(f"owner@{domain}")
tenant = ask(owner, "POST", "/v1/tenants", 201, {"name": f"{NAME} day"})
owner.refresh_token(metadata["token_endpoint"])
assert ask(owner, "GET", "/v1/me", 200)["tenant_id"] == tenant["tenant_id"]

key = ask(owner, "POST", "/v1/keys", 201, {"name": "Laptop"})["key"]
message = {"model": "claude-sonnet-5", "max_tokens": 50, "messages": [{"role": "user", "content": "Hello"}]}
proxy = platform["proxy_url"].replace("{slug}", tenant["slug"])
answer = httpx.post(f"{proxy}/v1/messages", headers={"x-api-key": key}, json=message, timeout=60)
assert answer.status_code == 200, answer.text

invited = ask(owner, "POST", "/v1/users/invite", 201, {"email": f"guest@{domain}"})
guest = sign_in(f"guest@{domain}")
assert ask(guest, "GET", "/v1/me", 200)["tenant_id"] == tenant["tenant_id"]
ask(owner, "DELETE", f"/v1/users/{invited['user_id']}", 204)
guest.refresh_token(metadata["token_endpoint"])
assert "tenant_id" not in ask(guest, "GET", "/v1/me", 200)

refresh_token = owner.token["refresh_token"]
assert owner.revoke_token(metadata["revocation_endpoint"], token=refresh_token).status_code == 200
try:
    owner.refresh_token(metadata["token_endpoint"], refresh_token=refresh_token)
    raise AssertionError("the sign-in still lives")
except OAuthError as error:
    assert error.error == "invalid_grant", error
