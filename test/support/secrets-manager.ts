// Secrets Manager as far as the product's secrets need it: values by name, for secrets that were declared.
import {
  AwsError,
  type AwsRequest,
  type AwsService,
  jsonAnswer,
  jsonFailure,
  targetOperation,
} from "../../local/aws/service.ts";

/** @param values what each declared secret holds; none where nothing was put yet */
export function secretsManager(values: Map<string, string | undefined>): AwsService {
  const members = ({ body }: AwsRequest) => JSON.parse(String(body)) as { SecretId: string; SecretString?: string };
  const unknown = new AwsError("ResourceNotFoundException", "Secrets Manager can't find the specified secret.");
  return {
    signingName: "secretsmanager",
    operation: targetOperation,
    authorizations: () => [],
    handle: async (operation, request) => {
      const { SecretId, SecretString } = members(request);
      if (!values.has(SecretId)) throw unknown;
      if (operation === "PutSecretValue") values.set(SecretId, SecretString);
      if (values.get(SecretId) === undefined) throw unknown;
      return jsonAnswer({ Name: SecretId, SecretString: values.get(SecretId) }, "1.1");
    },
    failure: (error) => jsonFailure(error, "1.1"),
  };
}
