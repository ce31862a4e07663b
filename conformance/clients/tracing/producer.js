'use strict'

// Sends an order to the queue whose URL is given, as a part of placing it. OpenTelemetry's instrumentation of the AWS SDK
// makes the span of the send and puts its context into the message attributes. Prints the id of the trace.

const { trace, SpanStatusCode } = require('@opentelemetry/api')
const { OTLPTraceExporter } = require('@opentelemetry/exporter-trace-otlp-proto')
const { registerInstrumentations } = require('@opentelemetry/instrumentation')
const { AwsInstrumentation } = require('@opentelemetry/instrumentation-aws-sdk')
const { resourceFromAttributes } = require('@opentelemetry/resources')
const { BatchSpanProcessor, NodeTracerProvider } = require('@opentelemetry/sdk-trace-node')

const provider = new NodeTracerProvider({
  resource: resourceFromAttributes({ 'service.name': 'shop' }),
  spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
})
provider.register()
registerInstrumentations({ instrumentations: [new AwsInstrumentation({ suppressInternalInstrumentation: true })] })

// Loaded after the instrumentation, which has to see it being loaded.
const { SQSClient, SendMessageCommand } = require('@aws-sdk/client-sqs')

async function main() {
  const sqs = new SQSClient({
    endpoint: process.env.SLUICE_URL,
    region: 'us-east-1',
    credentials: { accessKeyId: 'any', secretAccessKey: 'any' },
  })
  await trace.getTracer('sample').startActiveSpan('place order', async (span) => {
    try {
      await sqs.send(new SendMessageCommand({ QueueUrl: process.argv[2], MessageBody: '{"order":1}' }))
      console.log(span.spanContext().traceId)
    } catch (failure) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: failure.message })
      throw failure
    } finally {
      span.end()
    }
  })
  await provider.shutdown()
}

main().catch((failure) => {
  console.error(failure)
  process.exitCode = 1
})
