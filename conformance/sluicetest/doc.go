// Package sluicetest is for tests of programs that work with queues: it starts a server for a test, moves its time by
// hand, and asserts what happened to messages. Nothing sleeps and nothing polls, so a test of a redelivery after twelve
// hours takes a millisecond.
//
//	func TestOrderIsHandledOnce(t *testing.T) {
//		srv := sluicetest.Start(t)
//		client := sqs.New(sqs.Options{
//			BaseEndpoint: aws.String(sluicetest.Endpoint), HTTPClient: srv.Client(),
//			Region: "us-east-1", Credentials: credentials.NewStaticCredentialsProvider("any", "any", ""),
//		})
//		… make the queue orders, send "42", let the program under test work …
//		srv.Advance(30 * time.Second) // past the visibility timeout: it would come again now
//		srv.Message("42").ReceivedOnce()
//		srv.Queue("orders").Empty()
//	}
//
// # The server
//
// Start opens a server in memory that is closed with the test. Client reaches it without a socket; URL opens a port for
// programs in other processes. Each test has a server of its own, so tests can run in parallel; Snapshot and Reset are
// for those that share one. A server of a whole team or CI run is shared by access keys: started with --account-per-key,
// it gives each key an account of its own, and Key makes one for a test.
//
// # Time
//
// The clock stands until Advance moves it. What is due by then has happened when Advance returns: visibility timeouts
// and delays have passed, retention has dropped what is too old, long polls are woken. Clients sign with the machine's time,
// so a server that verifies signatures needs clock.System in its options, and cannot be moved.
//
// # Events
//
// The engine tells what happens to each message, in the order in which it was stored. Assertions first wait until all
// that was done so far has been told, so they neither race with the server nor need to poll. An event is a line:
//
//	orders: sent "42"
//	orders: received "42" #1
//	orders: visible "42"
//	orders: dead-lettered "42" to orders-dlq
//
// Events of a queue are compared whole by Queue.Events, and those of a message by Message; InOrder looks for some among
// all. Await is for what other goroutines do at their own pace: it blocks until a line has come.
//
// A failed assertion prints what happened instead.
//
// # Golden files
//
// Queue.Golden compares all that is in a queue with a file below testdata, in which ids are numbers and times are counted
// from the start of the server. SLUICETEST_UPDATE=1 writes the files.
package sluicetest
